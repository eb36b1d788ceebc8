/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes from the path service: the connection to it, and what its answers do to a list. */
#include "lib/resolve/routes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/base/ring.h"
#include "lib/resolve/databases.h"
#include "lib/resolve/hints.h"
#include "lib/resolve/result.h"

#define ABSENCE_NS 10000000

static void path_of(char *path, size_t room, const char *run, const char *name)
{
	snprintf(path, room, "%s/%s", run, name);
}

static bool look_for_it(const char *run)
{
	char path[256];

	path_of(path, sizeof(path), run, "ibacm.sock");
	if (!access(path, F_OK))
		return true;
	path_of(path, sizeof(path), run, "ibacm.port");
	return !access(path, F_OK);
}

/*
 * Most hosts have no path service. Two searches of the file system to learn that take as
 * long as the rest of a translation, so the answer is cached for a moment.
 */
static bool is_there(const char *run)
{
	static int64_t absent_until;
	bool real = !strcmp(run, "/run");
	int64_t now = vbm_loop_now_coarse();

	if (real && now < __atomic_load_n(&absent_until, __ATOMIC_RELAXED))
		return false;
	if (look_for_it(run))
		return true;
	if (real)
		__atomic_store_n(&absent_until, now + ABSENCE_NS, __ATOMIC_RELAXED);
	return false;
}

/* The port file holds a number and nothing else. *@port is 0 when it does not. */
static int read_port(const char *run, uint16_t *port)
{
	char path[256], *text;
	size_t len;
	int ret;

	*port = 0;
	path_of(path, sizeof(path), run, "ibacm.port");
	ret = vbm_slurp(path, &text, &len);
	if (ret)
		return is_shortage(-ret) ? ret : 0;
	text[strcspn(text, " \t\r\n")] = '\0';
	if (!vbm_service_number(text, port))
		*port = 0;
	free(text);
	return 0;
}

/* Make the socket and find the address to connect it to. The socket or a negative errno. */
static int make_socket(const char *run, socklen_t *len, struct sockaddr_storage *ss)
{
	struct sockaddr_in *in = (void *)ss;
	struct sockaddr_un *un = (void *)ss;
	uint16_t port;
	int ret = read_port(run, &port);

	if (ret)
		return ret;
	memset(ss, 0, sizeof(*ss));
	if (port) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		*len = sizeof(*in);
	} else {
		un->sun_family = AF_UNIX;
		path_of(un->sun_path, sizeof(un->sun_path), run, "ibacm.sock");
		*len = sizeof(*un);
	}
	ret = socket(ss->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return ret < 0 ? -errno : ret;
}

static void settle(struct acm *a, const struct acm_reply *reply)
{
	vbm_loop_modify(a->loop, &a->watch, 0);
	a->done(a, reply);
}

static void go_on_sending(struct acm *a)
{
	while (a->used < a->want) {
		ssize_t n = send(a->watch.fd, a->buf + a->used, a->want - a->used,
				 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			settle(a, NULL);
			return;
		}
		a->used += (size_t)n;
	}
	a->sending = false;
	a->used = 0;
	a->want = ACM_HEADER;
	vbm_loop_modify(a->loop, &a->watch, EPOLLIN);
}

/* A whole message is in the buffer. */
static void take_message(struct acm *a)
{
	struct acm_reply reply;

	settle(a, vbm_acm_decode(a->buf, a->used, &reply) ? &reply : NULL);
}

static void go_on_receiving(struct acm *a)
{
	for (;;) {
		ssize_t n = recv(a->watch.fd, a->buf + a->used, a->want - a->used, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			settle(a, NULL);
			return;
		}
		a->used += (size_t)n;
		if (a->used < a->want)
			continue;
		if (a->want == ACM_HEADER)
			a->want = vbm_acm_length(a->buf);
		if (a->used >= a->want) {
			take_message(a);
			return;
		}
	}
}

static void on_ready(struct watch *w, uint32_t events)
{
	struct acm *a = (void *)w;

	(void)events;
	if (a->sending)
		go_on_sending(a);
	else
		go_on_receiving(a);
}

/* Begin to connect, without blocking: 0 or a negative errno. */
static int open_acm(struct acm *a, struct loop *loop, const char *run)
{
	struct sockaddr_storage ss;
	socklen_t len = 0;
	int fd = make_socket(run, &len, &ss);
	int error = 0;

	if (fd < 0)
		return fd;
	a->loop = loop;
	a->watch.fd = fd;
	a->watch.ready = on_ready;
	if (connect(fd, (struct sockaddr *)&ss, len) && errno != EINPROGRESS)
		error = -errno;
	if (!error)
		error = vbm_loop_add(loop, &a->watch, 0);
	if (error) {
		close(fd);
		a->watch.fd = -1;
	}
	return error;
}

static void close_acm(struct acm *a)
{
	if (a->watch.fd < 0)
		return;
	vbm_loop_remove(a->loop, &a->watch);
	close(a->watch.fd);
	a->watch.fd = -1;
}

/*
 * Send @request. The loop calls a->done with the reply, or with NULL when this
 * connection will give no usable answer any more.
 */
static void ask_acm(struct acm *a, const struct acm_request *request)
{
	a->want = vbm_acm_encode(a->buf, request);
	a->used = 0;
	a->sending = true;
	vbm_loop_modify(a->loop, &a->watch, EPOLLOUT);
}

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
	       is_there(w->cfg->run);
}

static void copy_address(union addr *out, const struct sockaddr *sa, socklen_t len)
{
	memset(out, 0, sizeof(*out));
	if (sa)
		memcpy(out, sa, len < sizeof(*out) ? len : sizeof(*out));
}

static void finish_routes(struct routes *r, int code)
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
		finish_routes(r, 0);
		return;
	}
	copy_address(&src, r->at->ai_src_addr, r->at->ai_src_len);
	copy_address(&dst, r->at->ai_dst_addr, r->at->ai_dst_len);
	request.src = &src;
	request.dst = &dst;
	while (request.paths < q->route_count && request.paths < ACM_ENTRIES) {
		vbm_route_hint(q, request.paths, &path[request.paths]);
		request.paths++;
	}
	ask_acm(&r->acm, &request);
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
		finish_routes(r, code);
		return;
	}
	r->at = r->at->ai_next;
	ask_next(r);
}

static void on_timer(struct timer *t)
{
	struct routes *r = container_of(t, struct routes, timer);

	finish_routes(r, 0);
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
	ret = open_acm(&r->acm, loop, r->work->cfg->run);
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
		close_acm(&r->acm);
}
