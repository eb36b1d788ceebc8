/* SPDX-License-Identifier: BSD-2-Clause */
#include "negotiate.h"

#include <errno.h>
#include <stddef.h>

#include "bench.h"

#define BATCH 64

struct sockaddr_storage negotiate_listen(struct negotiating *e, const struct sockaddr *own,
					 const struct vbm_listen_options *options)
{
	struct vbm_outcome listening;
	int found;

	errno = vbm_negotiator_listen(e->negotiator, own, options, NULL, &e->listener);
	errno = errno ? errno : vbm_negotiator_wait(e->negotiator, &listening, 1, -1, &found);
	errno = errno ? errno : listening.result;
	if (errno)
		die("a listener");
	return listening.address;
}

void *negotiate(void *end)
{
	struct vbm_outcome got[BATCH];
	struct negotiating *e = end;
	int given, done, found, i;

	for (given = 0; given < e->ahead; given++)
		e->hand_in(e, given);
	for (done = 0; done < e->count; done += found) {
		errno = vbm_negotiator_wait(e->negotiator, got, BATCH, -1, &found);
		if (errno)
			die("wait for outcomes");
		for (i = 0; i < found; i++) {
			errno = got[i].result;
			if (errno)
				die("an outcome");
			e->socket[done + i] = got[i].socket;
			if (given < e->count)
				e->hand_in(e, given++);
		}
	}
	return NULL;
}
