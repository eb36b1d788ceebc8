// SPDX-License-Identifier: BSD-2-Clause
/*
 * A target of left.test: ibv_open_device leaves a process behind, as a library does that starts a
 * daemon. The process keeps the descriptor of the device when its caller has ended.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ibv_context;
struct ibv_device;

struct ibv_context *ibv_open_device(struct ibv_device *device);

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*real)(struct ibv_device *), *context;
	void *symbol = dlsym(RTLD_NEXT, "ibv_open_device");

	memcpy(&real, &symbol, sizeof(real));
	context = real(device);
	if (context && syscall(SYS_fork) == 0)
		for (;;)
			pause();
	return context;
}
