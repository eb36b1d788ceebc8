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
	request_free((struct request *)p);
}

void request_free(struct request *r)
{
	result_free(r->list);
	gai_clear(&r->work);
	free(r->route);
	free(r);
}

static void leave_lookup(struct request *r)
{
	if (!r->work.needs_lookup)
		return;
	r->work.needs_lookup = false;
	lookup_clear(&r->lookup);
	if (r->resolver)
		resolver_drop(r->resolver);
	r->resolver = NULL;
	turns_leave(r);
}

static void stop_asking(struct request *r)
{
	timer_disarm(&r->timer);
	leave_lookup(r);
	if (r->routes)
		routes_stop(r->routes);
	free(r->routes);
	r->routes = NULL;
}

/* The one event of the request. */
void request_end(struct request *r, int code, int error)
{
	struct vbm_event *e = &r->pending.event;

	r->over = true;
	stop_asking(r);
	if (code) {
		result_free(r->list);
		r->list = NULL;
	}
	e->event = code ? RDMA_CM_EVENT_ADDRINFO_ERROR : RDMA_CM_EVENT_ADDRINFO_RESOLVED;
	e->status = code;
	e->error = code == EAI_SYSTEM ? error : 0;
	channel_push(r->id->channel, &r->pending);
}

struct routed {
	struct routes routes;	/* first */
	struct request *request;
};

static void on_routes(struct routes *routes, int code)
{
	request_end(((struct routed *)routes)->request, code, 0);
}

static void find_routes(struct request *r)
{
	struct routed *routed = mem_zalloc(sizeof(*routed));

	if (!routed) {
		request_end(r, EAI_MEMORY, 0);
		return;
	}
	routed->request = r;
	routed->routes.work = &r->work;
	routed->routes.list = r->list;
	routed->routes.done = on_routes;
	r->routes = &routed->routes;
	routes_start(r->routes, &r->id->channel->loop);
}

static void build(struct request *r)
{
	int code = gai_build(&r->work, &r->list);

	if (code || !routes_wanted(&r->work))
		request_end(r, code, errno);
	else
		find_routes(r);
}

static void on_found(void *arg, const struct lookup_result *result)
{
	struct request *r = arg;
	int code = result->code, error = result->error;

	if (!code)
		code = gai_found(&r->work, result->addrs, result->canon);
	leave_lookup(r);
	if (code)
		request_end(r, code, error);
	else
		build(r);
}

void request_lookup(struct request *r)
{
	int ret = resolver_use(r->id->channel, &r->resolver);

	if (ret) {
		request_end(r, ret == -ENOMEM ? EAI_MEMORY : EAI_SYSTEM, -ret);
		return;
	}
	r->lookup.client = r->resolver->client;
	r->lookup.conf = &r->resolver->conf;
	r->lookup.name = r->name;
	r->lookup.family = gai_lookup_family(&r->work);
	r->lookup.other_family = r->work.other_family;
	r->lookup.done = on_found;
	r->lookup.arg = r;
	lookup_start(&r->lookup);
}

static void on_timer(struct timer *t)
{
	struct request *r = (void *)((char *)t - offsetof(struct request, timer));

	request_end(r, EAI_AGAIN, 0);
}

static void run(struct request *r, const char *node, const char *service, bool empty)
{
	int code = empty ? EAI_NONAME : 0;

	if (!code)
		code = gai_service(&r->work, service);
	if (!code)
		code = gai_node(&r->work, node);
	if (code) {
		request_end(r, code, errno);
	} else if (r->work.needs_lookup) {
		snprintf(r->name, sizeof(r->name), "%s", node);
		turns_enter(r);
	} else {
		build(r);
	}
}

static bool nothing_to_do(const struct gai_query *q, const char *node, const char *service)
{
	return !node && !service && !addr_is_set(&q->src) && !addr_is_set(&q->dst) && !q->route;
}

int request_start(struct vbm_id *id, const char *node, const char *service,
		  const struct gai_query *q)
{
	struct request *r = mem_zalloc(sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->id = id;
	r->pending.event.id = id;
	r->pending.release = release;
	r->timer.fire = on_timer;
	ring_init(&r->pending.node);
	ring_init(&r->waiting);
	gai_init(&r->work, id->channel->cfg);
	r->work.q = *q;
	if (q->route) {
		r->route = mem_dup(q->route, q->route_count * q->route_stride);
		if (!r->route) {
			free(r);
			return -ENOMEM;
		}
		r->work.q.route = r->route;
	}
	id->request = r;
	id->state = ID_RUNNING;
	if (id->timeout_ms)
		timer_arm(&id->channel->loop, &r->timer,
			  loop_now() + (int64_t)id->timeout_ms * NS_PER_MS);
	run(r, node, service, nothing_to_do(q, node, service));
	loop_settle(&id->channel->loop);
	return 0;
}
