/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of the queue pairs that a negotiator has. */
#include "lib/handshake/negotiator.h"

#include <stdlib.h>
#include <sys/epoll.h>

#include "lib/base/mem.h"
#include "lib/qp/device.h"

static struct device_watch *find_watch(const struct vbm_negotiator *n, const struct ibv_context *context)
{
	for (struct ring *r = n->devices.next; r != &n->devices; r = r->next)
		if (container_of(r, struct device_watch, link)->context == context)
			return container_of(r, struct device_watch, link);
	return NULL;
}

/* The last user frees @w. */
static void device_ready(struct watch *watch, uint32_t events)
{
	struct device_watch *w = container_of(watch, struct device_watch, watch);

	(void)events;
	if (vbm_device_has_gone(w->context))
		w->gone(w->n, w->context);
}

/*
 * Each event is reported once, because it stays until the program reads it, and must not keep
 * the thread awake. Without memory or descriptors the device is not watched, and its end is seen when
 * a call fails.
 */
void vbm_negotiator_watch_device(struct vbm_negotiator *n, struct ibv_context *context,
				 void (*gone)(struct vbm_negotiator *n, const struct ibv_context *context))
{
	struct device_watch *w = context ? find_watch(n, context) : NULL;

	if (w)
		w->users++;
	if (w || !context)
		return;
	w = vbm_mem_zalloc(sizeof(*w));
	if (!w)
		return;
	*w = (struct device_watch){
		.watch = {.fd = context->async_fd, .ready = device_ready}, .n = n, .context = context,
		.gone = gone, .users = 1,
	};
	if (vbm_loop_add(&n->loop, &w->watch, EPOLLIN | EPOLLET))
		free(w);
	else
		ring_add(&n->devices, &w->link);
}

void vbm_negotiator_leave_device(struct vbm_negotiator *n, const struct ibv_context *context)
{
	struct device_watch *w = context ? find_watch(n, context) : NULL;

	if (!w || --w->users)
		return;
	vbm_loop_remove(&n->loop, &w->watch);
	ring_remove(&w->link);
	free(w);
}
