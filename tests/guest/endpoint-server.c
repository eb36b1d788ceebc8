/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of endpoint-program that takes whoever comes, in a thread. */
#include "endpoint-program.h"

#define POLL_MS 100

static void *serve(void *arg)
{
	struct server *s = arg;
	struct vbm_endpoint *ep;

	while (!__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)) {
		if (vbm_get_request(s->listener, &ep, POLL_MS))
			continue;
		if (vbm_accept(ep, NULL, 0) == 0) {
			s->served++;
			if (vbm_wait_disconnect(ep, s->patience_ms))
				vbm_disconnect(ep);
		}
		vbm_destroy_endpoint(ep);
	}
	return NULL;
}

void start_server(struct server *s, const struct vbm_endpoint_options *o)
{
	*s = (struct server){.listener = listener_of(o, self), .patience_ms = o->timeout_ms};
	if (pthread_create(&s->thread, NULL, serve, s))
		die("no thread");
}

void stop_server(struct server *s)
{
	__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
	pthread_join(s->thread, NULL);
}
