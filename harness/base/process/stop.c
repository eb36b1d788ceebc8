/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/stop.h"

#include <errno.h>
#include <time.h>

int stop_poll(struct pollfd *p, nfds_t n, int ms, const volatile sig_atomic_t *stop)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000L};
	sigset_t all, old;
	int ret = -1, error = EINTR;

	if (!stop)
		return poll(p, n, ms);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (!*stop) {
		ret = ppoll(p, n, ms < 0 ? NULL : &ts, &old);
		error = errno;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return ret;
}
