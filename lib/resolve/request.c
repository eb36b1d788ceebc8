/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/resolve/databases.h"
#include "lib/resolve/engine.h"
#include "lib/resolve/lookup.h"
#include "lib/base/mem.h"
#include "lib/resolve/result.h"
#include "lib/resolve/routes.h"

/* The state that a request needs only while it waits. */
struct asking {
	struct request *request;
	struct turn turn;
	struct timer timer;
	bool named;			/* the look-up of the name is under way */
	struct lookup lookup;
	struct name_servers *servers;	/* set when its turn has come */
	struct routes *routes;		/* owned; while the routes are asked for */
	char name[256];
};

static void send_questions(struct turn *t);

static void on_deadline(struct timer *t)
{
	vbm_request_end(container_of(t, struct asking, timer)->request, EAI_AGAIN, 0);
}

/* 0, or the EAI_ code of the failure, with r->error set. */
static int start_asking(struct request *r)
{
	struct asking *a;
	int ret;

	if (r->asking)
		return 0;
	ret = vbm_engine_open(r->engine);
	if (ret) {
		r->error = -ret;
		return ret == -ENOMEM ? EAI_MEMORY : EAI_SYSTEM;
	}
	a = vbm_mem_zalloc(sizeof(*a));
	if (!a)
		return EAI_MEMORY;
	a->request = r;
	a->timer.fire = on_deadline;
	ring_init(&a->turn.node);
	a->turn.ask = send_questions;
	if (r->deadline)
		vbm_timer_arm(&r->engine->loop, &a->timer, r->deadline);
	r->asking = a;
	r->engine->requests++;
	return 0;
}

static void stop_lookup(struct asking *a)
{
	if (!a->named)
		return;
	a->named = false;
	vbm_lookup_clear(&a->lookup);
	if (a->servers)
		vbm_engine_drop_servers(a->servers);
	a->servers = NULL;
	vbm_engine_leave(a->request->engine, &a->turn);
}

static void stop_asking(struct request *r)
{
	struct asking *a = r->asking;

	vbm_timer_disarm(&a->timer);
	stop_lookup(a);
	if (a->routes)
		vbm_routes_stop(a->routes);
	free(a->routes);
	r->engine->requests--;
	r->asking = NULL;
	free(a);
}

void vbm_request_end(struct request *r, int code, int error)
{
	if (r->is_over)
		return;
	r->is_over = true;
	if (r->asking)
		stop_asking(r);
	if (code) {
		vbm_result_free(r->list);
		r->list = NULL;
	}
	r->code = code;
	r->error = code == EAI_SYSTEM ? error : 0;
	r->over(r);
}

static void on_routes(void *arg, int code)
{
	vbm_request_end(arg, code, errno);
}

static void find_routes(struct request *r)
{
	int code = start_asking(r);
	struct routes *routes = code ? NULL : vbm_mem_zalloc(sizeof(*routes));

	if (!routes) {
		vbm_request_end(r, code ? code : EAI_MEMORY, r->error);
		return;
	}
	r->asking->routes = routes;
	routes->work = &r->work;
	routes->list = r->list;
	routes->done = on_routes;
	routes->arg = r;
	vbm_routes_start(routes, &r->engine->loop);
}

/* The list is there, or @code says why not. */
static void built(struct request *r, int code)
{
	if (code || !vbm_routes_wanted(&r->work))
		vbm_request_end(r, code, errno);
	else
		find_routes(r);
}

static void on_found(void *arg, const struct lookup_result *result)
{
	struct asking *a = arg;
	struct request *r = a->request;
	int code = result->code, error = result->error;

	if (!code) {
		code = vbm_gai_found(&r->work, result->addrs, result->canon);
		error = errno;
	}
	stop_lookup(a);
	if (code)
		vbm_request_end(r, code, error);
	else
		built(r, vbm_gai_build(&r->work, &r->list));
}

/* The turn of a request has come: send its questions. */
static void send_questions(struct turn *t)
{
	struct asking *a = container_of(t, struct asking, turn);
	struct request *r = a->request;
	int ret = vbm_engine_use_servers(r->engine, &a->servers);

	if (ret) {
		vbm_request_end(r, ret == -ENOMEM ? EAI_MEMORY : EAI_SYSTEM, -ret);
		return;
	}
	a->lookup.client = a->servers->client;
	a->lookup.conf = &a->servers->conf;
	a->lookup.name = a->name;
	a->lookup.family = vbm_gai_lookup_family(&r->work);
	a->lookup.other_family = r->work.other_family;
	a->lookup.done = on_found;
	a->lookup.arg = a;
	vbm_lookup_start(&a->lookup);
}

static void look_up(struct request *r, const char *name)
{
	int code = start_asking(r);

	if (code) {
		vbm_request_end(r, code, r->error);
		return;
	}
	snprintf(r->asking->name, sizeof(r->asking->name), "%s", name);
	r->asking->named = true;
	vbm_engine_enter(r->engine, &r->asking->turn);
}

static void clear_state(struct request *r, const struct gai_config *cfg)
{
	r->list = NULL;
	r->code = r->error = 0;
	r->is_over = false;
	r->deadline = 0;
	r->route = NULL;
	r->asking = NULL;
	vbm_gai_init(&r->work, cfg);
}

int vbm_request_init(struct request *r, struct engine *e, bool keep)
{
	const struct gai_query *q = &r->work.q;

	r->engine = e;
	clear_state(r, e->cfg);
	if (!keep || !q->route)
		return 0;
	r->route = vbm_mem_dup(q->route, q->route_count * q->route_stride);
	r->work.q.route = r->route;
	return r->route ? 0 : -ENOMEM;
}

/* The steps that need no engine. 0 or an EAI_ code; with needs_lookup there is no list yet. */
static int do_first_steps(struct request *r, const char *node, const char *service)
{
	const struct gai_query *q = &r->work.q;
	bool nothing = !node && !service && !addr_is_set(&q->src) && !addr_is_set(&q->dst) && !q->route;
	int code = nothing ? EAI_NONAME : vbm_gai_service(&r->work, service);

	if (!code)
		code = vbm_gai_node(&r->work, node);
	return code || r->work.needs_lookup ? code : vbm_gai_build(&r->work, &r->list);
}

void vbm_request_begin(struct request *r, const char *node, const char *service)
{
	int code = do_first_steps(r, node, service);

	if (!code && r->work.needs_lookup)
		look_up(r, node);
	else
		built(r, code);
	if (r->engine->open)
		vbm_loop_settle(&r->engine->loop);
}

/* vbm_request_run() sees the end in r->is_over. */
static void on_over(struct request *r)
{
	(void)r;
}

/* The rest of vbm_request_run(), for a request that has to wait. */
static void wait_on_own_engine(struct request *r, const struct gai_config *cfg, const char *node)
{
	struct engine own;

	vbm_engine_init(&own, cfg);
	r->engine = &own;
	r->over = on_over;
	if (r->work.needs_lookup)
		look_up(r, node);
	else
		built(r, 0);
	if (own.open)
		vbm_loop_settle(&own.loop);
	while (!r->is_over) {
		vbm_loop_wait(&own.loop, -1);
		vbm_engine_run(&own);
	}
	vbm_engine_close(&own);
}

/* Most requests do not wait. They do without the engine. */
void vbm_request_run(struct request *r, const struct gai_config *cfg, const char *node,
		     const char *service)
{
	clear_state(r, cfg);
	r->code = do_first_steps(r, node, service);
	r->error = r->code == EAI_SYSTEM ? errno : 0;
	r->is_over = r->code || (!r->work.needs_lookup && !vbm_routes_wanted(&r->work));
	if (!r->is_over)
		wait_on_own_engine(r, cfg, node);
}

void vbm_request_clear(struct request *r)
{
	r->is_over = true;
	if (r->asking)
		stop_asking(r);
	vbm_result_free(r->list);
	vbm_gai_clear(&r->work);
	if (r->route)
		free(r->route);
	r->list = NULL;
	r->route = NULL;
}
