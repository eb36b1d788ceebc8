/* SPDX-License-Identifier: BSD-2-Clause */
#include "routes.h"

#include <string.h>

#include "gai-config.h"
#include "result.h"
#include "route-hints.h"

bool vbm_routes_wanted(const struct gai_work *w)
{
	return !gai_passive(&w->q) && !(w->q.flags & RAI_NOROUTE) &&
	       vbm_acm_is_there(w->cfg->run);
}

static void take(union addr *out, const struct sockaddr *sa, socklen_t len)
{
	memset(out, 0, sizeof(*out));
	if (sa)
		memcpy(out, sa, len < sizeof(*out) ? len : sizeof(*out));
}

static void finish(struct routes *r, int code)
{
	vbm_routes_stop(r);
	r->done(r, code);
}

/* Ask about the next entry that has a destination. */
static void ask_next(struct routes *r)
{
	struct ibv_path_record path[ACM_ENTRIES];
	const struct gai_query *q = &r->work->q;
	struct acm_request request = {.path = path};
	union addr src, dst;

	while (r->at && (!r->at->ai_dst_len || r->at->ai_connect_len))
		r->at = r->at->ai_next;
	if (!r->at) {
		finish(r, 0);
		return;
	}
	take(&src, r->at->ai_src_addr, r->at->ai_src_len);
	take(&dst, r->at->ai_dst_addr, r->at->ai_dst_len);
	request.src = &src;
	request.dst = &dst;
	while (request.paths < q->route_count && request.paths < ACM_ENTRIES) {
		vbm_route_hint(q, request.paths, &path[request.paths]);
		request.paths++;
	}
	vbm_acm_ask(&r->acm, &request);
}

static void on_reply(struct acm *a, const struct acm_reply *reply)
{
	struct routes *r = (void *)a;
	int code = 0;

	if (reply)
		code = vbm_routes_apply(r->work, r->at, reply);
	if (!reply || code) {
		finish(r, code);
		return;
	}
	r->at = r->at->ai_next;
	ask_next(r);
}

static void on_timer(struct timer *t)
{
	struct routes *r = (void *)((char *)t - offsetof(struct routes, timer));

	finish(r, 0);
}

void vbm_routes_start(struct routes *r, struct loop *loop)
{
	r->at = r->list;
	r->timer.fire = on_timer;
	r->acm.done = on_reply;
	if (vbm_acm_open(&r->acm, loop, r->work->cfg->run)) {
		r->acm.watch.fd = -1;
		r->done(r, 0);
		return;
	}
	vbm_timer_arm(loop, &r->timer, vbm_loop_now() + r->work->cfg->acm_ms * 1000000LL);
	ask_next(r);
}

void vbm_routes_stop(struct routes *r)
{
	vbm_timer_disarm(&r->timer);
	if (r->acm.loop)
		vbm_acm_close(&r->acm);
}

struct waiting {
	struct routes routes;	/* first */
	bool over;
	int code;
};

static void on_done(struct routes *r, int code)
{
	struct waiting *wait = (void *)r;

	wait->over = true;
	wait->code = code;
}

int vbm_routes_wait(const struct gai_work *w, struct rdma_addrinfo **list)
{
	struct waiting wait = {
		.routes = {.work = w, .list = *list, .done = on_done},
	};
	struct loop loop;

	if (vbm_loop_init(&loop))
		return 0;
	vbm_routes_start(&wait.routes, &loop);
	while (!wait.over) {
		vbm_loop_settle(&loop);
		vbm_loop_wait(&loop, -1);
		vbm_loop_dispatch(&loop);
	}
	vbm_loop_fini(&loop);
	if (wait.code) {
		vbm_result_free(*list);
		*list = NULL;
	}
	return wait.code;
}
