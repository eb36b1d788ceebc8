/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/routes.h"

#include <errno.h>
#include <string.h>

#include "lib/resolve/databases.h"
#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/resolve/result.h"
#include "lib/base/ring.h"
#include "lib/resolve/hints.h"

/*
 * This header comes before the user's private data on an AF_IB connection. It tells the
 * other side the IP addresses that an IP connection would have used.
 */
struct connect_header {
	uint8_t cma_version;
	uint8_t ip_version;	/* in the upper half */
	uint16_t port;
	uint32_t src[4];	/* an IPv4 address is in the last word */
	uint32_t dst[4];
};

_Static_assert(sizeof(struct connect_header) == 36, "the layout in the message");

static void put_ip(uint32_t words[4], const struct sockaddr *sa)
{
	const void *p = sa;

	if (!sa)
		return;
	if (sa->sa_family == AF_INET)
		memcpy(&words[3], &((const struct sockaddr_in *)p)->sin_addr, 4);
	else
		memcpy(words, &((const struct sockaddr_in6 *)p)->sin6_addr, 16);
}

static int set_connect(struct rdma_addrinfo *ib, const struct rdma_addrinfo *ip)
{
	struct connect_header h = {
		.ip_version = ip->ai_family == AF_INET ? 0x40 : 0x60,
	};

	put_ip(h.src, ip->ai_src_addr);
	put_ip(h.dst, ip->ai_dst_addr);
	ib->ai_connect = vbm_mem_dup(&h, sizeof(h));
	if (!ib->ai_connect)
		return EAI_MEMORY;
	ib->ai_connect_len = sizeof(h);
	return 0;
}

static int set_route(struct rdma_addrinfo *entry, const struct acm_reply *reply)
{
	size_t len = reply->paths * sizeof(reply->path[0]);

	entry->ai_route = vbm_mem_dup(reply->path, len);
	if (!entry->ai_route)
		return EAI_MEMORY;
	entry->ai_route_len = len;
	return 0;
}

static void gid_address(union addr *a, const union ibv_gid *gid,
			const struct ibv_path_record *path, uint16_t port, int ps)
{
	vbm_addr_from_gid(a, gid->raw, true);
	a->ib.sib_pkey = path->pkey;
	a->ib.sib_flowinfo = htonl(ntohl(path->flowlabel_hoplimit) >> 8);
	vbm_addr_set_service(a, port, ps);
}

/* Add an entry with the same destination as an InfiniBand address. */
static int append_ib(const struct gai_work *w, struct rdma_addrinfo *ip,
		     const struct acm_reply *reply)
{
	const struct ibv_path_record *path = &reply->path[0].path;
	struct rdma_addrinfo *ib, **tail = &ip->ai_next;
	union addr src, dst;

	while (*tail)
		tail = &(*tail)->ai_next;
	memset(&dst, 0, sizeof(dst));
	memcpy(&dst, ip->ai_dst_addr, ip->ai_dst_len);
	gid_address(&dst, &path->dgid, path, vbm_addr_port(&dst), ip->ai_port_space);
	gid_address(&src, &path->sgid, path, 0, ip->ai_port_space);
	ib = vbm_result_new(&w->q, &src, &dst, ip->ai_dst_canonname);
	if (!ib)
		return EAI_MEMORY;
	*tail = ib;
	return set_route(ib, reply) ? EAI_MEMORY : set_connect(ib, ip);
}

/* The path service's source is used only when the entry has no source and the families agree. */
int vbm_routes_apply(const struct gai_work *w, struct rdma_addrinfo *entry,
		     const struct acm_reply *reply)
{
	bool fits = addr_is_set(&reply->src) &&
		    reply->src.sa.sa_family == entry->ai_family;

	if (!entry->ai_src_len && fits && vbm_result_set_src(entry, &reply->src))
		return EAI_MEMORY;
	if (!reply->paths)
		return 0;
	if (set_route(entry, reply))
		return EAI_MEMORY;
	if (w->q.family != AF_UNSPEC || entry->ai_family == AF_IB)
		return 0;
	return append_ib(w, entry, reply);
}

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
	r->done(r->arg, code);
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

/*
 * A failure arrives as a reply without paths. Without a reply (NULL) there will be no
 * further answer.
 */
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
	struct routes *r = container_of(t, struct routes, timer);

	finish(r, 0);
}

/* Without a path service there are no routes. Only a shortage is an error. */
static int code_of(int ret)
{
	if (!is_shortage(-ret))
		return 0;
	errno = -ret;
	return ret == -ENOMEM ? EAI_MEMORY : EAI_SYSTEM;
}

void vbm_routes_start(struct routes *r, struct loop *loop)
{
	int ret;

	r->at = r->list;
	r->timer.fire = on_timer;
	r->acm.done = on_reply;
	ret = vbm_acm_open(&r->acm, loop, r->work->cfg->run);
	if (ret) {
		r->acm.watch.fd = -1;
		r->done(r->arg, code_of(ret));
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
