/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/ucma.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Newer than the headers this may be built with. */
#define UCMA_WRITE_CM_EVENT 24
#define UCMA_EVENT_USER 18

/* An identifier that nobody has: nothing but the answer can come of it. */
#define UCMA_NO_ID UINT32_MAX

struct ucma_write_event {
	uint32_t cmd;
	uint16_t in, out;
	uint32_t id, reserved, event, status;
	uint64_t rest[56];	/* more than the kernel will read */
};

bool ucma_takes_events(const char *device)
{
	struct ucma_write_event w = {
		.cmd = UCMA_WRITE_CM_EVENT,
		.in = sizeof(w) - 8,
		.id = UCMA_NO_ID,
		.event = UCMA_EVENT_USER,
	};
	auto_close int fd = open(device, O_RDWR | O_CLOEXEC);

	/* A kernel that knows the command misses the identifier: ENOENT. */
	return fd < 0 || write(fd, &w, sizeof(w)) >= 0 || errno != EINVAL;
}
