/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void watch_add(struct loop *l, struct watch *w, int fd, uint32_t events,
	       void (*ready)(struct watch *w, uint32_t events))
{
	w->fd = fd;
	w->ready = ready;
	if (vbm_loop_add(l, w, events) < 0) {
		fputs("verbatim: out of memory\n", stderr);
		abort();
	}
}

void watch_close(struct watch *w)
{
	int fd = w->fd;

	vbm_watch_set(w, -1, w->events);
	if (fd >= 0)
		close(fd);
}
