/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "mem.h"
#include "result.h"
#include "routes.h"

enum { NS_PER_MS = 1000000 };

static void release(struct pending *p)
{
	vbm_request_free((struct request *)p);
}

void vbm_request_free(struct request *r)
{
	vbm_result_free(r->list);
	vbm_gai_clear(&r->work);
	free(r->route);
	free(r);
}

static void leave_lookup(struct request *r)
{
	if (!r->work.needs_lookup)
		return;
	r->work.needs_lookup = false;
	vbm_lookup_clear(&r->lookup);
	if (r->resolver)
		vbm_resolver_drop(r->resolver);
	r->resolver = NULL;
	vbm_turns_leave(r);
}

static void stop_asking(struct request *r)
{
	vbm_timer_disarm(&r->timer);
	leave_lookup(r);
	if (r->routes)
		vbm_routes_stop(r->routes);
	free(r->routes);
	r->routes = NULL;
}

/* The one event of the request. */
void vbm_request_end(struct request *r, int code, int error)
{
	struct vbm_event *e = &r->pending.event;

	r->over = true;
	stop_asking(r);
	if (code) {
		vbm_result_free(r->list);
		r->list = NULL;
	}
	e->event = code ? RDMA_CM_EVENT_ADDRINFO_ERROR : RDMA_CM_EVENT_ADDRINFO_RESOLVED;
	e->status = code;
	e->error = code == EAI_SYSTEM ? error : 0;
	vbm_channel_push(r->id->channel, &r->pending);
}

struct routed {
	struct routes routes;	/* first */
	struct request *request;
};

static void on_routes(struct routes *routes, int code)
{
	vbm_request_end(((struct routed *)routes)->request, code, 0);
}

static void find_routes(struct request *r)
{
	struct routed *routed = vbm_mem_zalloc(sizeof(*routed));

	if (!routed) {
		vbm_request_end(r, EAI_MEMORY, 0);
		return;
	}
	routed->request = r;
	routed->routes.work = &r->work;
	routed->routes.list = r->list;
	routed->routes.done = on_routes;
	r->routes = &routed->routes;
	vbm_routes_start(r->routes, &r->id->channel->loop);
}

static void build(struct request *r)
{
	int code = vbm_gai_build(&r->work, &r->list);

	if (code || !vbm_routes_wanted(&r->work))
		vbm_request_end(r, code, errno);
	else
		find_routes(r);
}

static void on_found(void *arg, const struct lookup_result *result)
{
	struct request *r = arg;
	int code = result->code, error = result->error;

	if (!code)
		code = vbm_gai_found(&r->work, result->addrs, result->canon);
	leave_lookup(r);
	if (code)
		vbm_request_end(r, code, error);
	else
		build(r);
}

void vbm_request_lookup(struct request *r)
{
	int ret = vbm_resolver_use(r->id->channel, &r->resolver);

	if (ret) {
		vbm_request_end(r, ret == -ENOMEM ? EAI_MEMORY : EAI_SYSTEM, -ret);
		return;
	}
	r->lookup.client = r->resolver->client;
	r->lookup.conf = &r->resolver->conf;
	r->lookup.name = r->name;
	r->lookup.family = vbm_gai_lookup_family(&r->work);
	r->lookup.other_family = r->work.other_family;
	r->lookup.done = on_found;
	r->lookup.arg = r;
	vbm_lookup_start(&r->lookup);
}

static void on_timer(struct timer *t)
{
	struct request *r = (void *)((char *)t - offsetof(struct request, timer));

	vbm_request_end(r, EAI_AGAIN, 0);
}

static void run(struct request *r, const char *node, const char *service, bool empty)
{
	int code = empty ? EAI_NONAME : 0;

	if (!code)
		code = vbm_gai_service(&r->work, service);
	if (!code)
		code = vbm_gai_node(&r->work, node);
	if (code) {
		vbm_request_end(r, code, errno);
	} else if (r->work.needs_lookup) {
		snprintf(r->name, sizeof(r->name), "%s", node);
		vbm_turns_enter(r);
	} else {
		build(r);
	}
}

static bool nothing_to_do(const struct gai_query *q, const char *node, const char *service)
{
	return !node && !service && !addr_is_set(&q->src) && !addr_is_set(&q->dst) && !q->route;
}

int vbm_request_start(struct vbm_id *id, const char *node, const char *service,
		      const struct gai_query *q)
{
	struct request *r = vbm_mem_zalloc(sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->id = id;
	r->pending.event.id = id;
	r->pending.release = release;
	r->timer.fire = on_timer;
	ring_init(&r->pending.node);
	ring_init(&r->waiting);
	vbm_gai_init(&r->work, id->channel->cfg);
	r->work.q = *q;
	if (q->route) {
		r->route = vbm_mem_dup(q->route, q->route_count * q->route_stride);
		if (!r->route) {
			free(r);
			return -ENOMEM;
		}
		r->work.q.route = r->route;
	}
	id->request = r;
	id->state = ID_RUNNING;
	if (id->timeout_ms)
		vbm_timer_arm(&id->channel->loop, &r->timer,
			      vbm_loop_now() + (int64_t)id->timeout_ms * NS_PER_MS);
	run(r, node, service, nothing_to_do(q, node, service));
	vbm_loop_settle(&id->channel->loop);
	return 0;
}
