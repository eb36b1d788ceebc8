/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/stamp.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"

static uint64_t ns_of(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * 1000000000 + (uint64_t)ts->tv_nsec;
}

uint64_t stamp_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ns_of(&ts);
}

/*
 * rxe of Linux 7.3 stamps each packet that it makes with CLOCK_MONOTONIC. The packet keeps
 * that stamp if the receiver is in the same network namespace. Such a stamp is far from the
 * calendar: it counts from the start of the machine.
 */
struct stamp stamp_of(struct msghdr *msg)
{
	uint64_t calendar = stamp_now_ns(), now = (uint64_t)clock_now_ns(), ns = calendar;
	struct cmsghdr *c;
	struct timespec ts;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		ns = ns_of(&ts);
	}
	if (ns < calendar / 2)
		ns += calendar - now;
	return (struct stamp){.ns = ns, .at_ns = (int64_t)(ns - calendar + now)};
}
