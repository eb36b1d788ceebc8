/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * To be preloaded into a run in lane native: the runner gets SIGTERM when it is
 * about to start an agent. The signal is real; that it comes at this moment is forced.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int memfd_create(const char *name, unsigned int flags)
{
	if (strcmp(name, "agent-log") == 0)
		kill(getpid(), SIGTERM);
	return (int)syscall(SYS_memfd_create, name, flags);
}
