/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "net/netns.h"
#include "lib/base/fail.h"

/* The kernel answers at once. This limit ends the wait when a kernel bug prevents the answer. */
#define MESSAGE_MAX 32768	/* no list of the kernel has longer parts */
#define ANSWER_TIMEOUT_S 60

struct netlink {
	struct nl_sock *sock[NL_FAMILIES];	/* owned; all but NL_ROUTE opened when first used */
	int netns_fd;			/* borrowed; -1: the namespace of the caller of netlink_open() */
};

static const int protocol[NL_FAMILIES] = {
	[NL_ROUTE] = NETLINK_ROUTE,
	[NL_RDMA] = NETLINK_RDMA,
	[NL_NETFILTER] = NETLINK_NETFILTER,
};

struct opening {
	struct nl_sock *sock;
	enum nl_family family;
};

static int connect_sock(void *arg, struct vbm_error *err)
{
	struct timeval timeout = {.tv_sec = ANSWER_TIMEOUT_S};
	struct opening *o = arg;
	int fd, one = 1;

	/* The errno of socket() is kept here, because libnl has fewer errors than the kernel. */
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol[o->family]);
	if (fd < 0 && o->family == NL_RDMA && errno == EPROTONOSUPPORT)
		return vbm_fail(err, EPROTONOSUPPORT,
				"this kernel has no RDMA: load it with 'modprobe rdma_rxe', or "
				"use the guest lane");
	if (fd < 0)
		return vbm_fail(err, errno, "cannot open a netlink socket: %s", strerror(errno));
	if (nl_socket_set_fd(o->sock, protocol[o->family], fd) < 0) {
		close(fd);
		return vbm_fail(err, EIO, "cannot use a netlink socket");
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	return 0;
}

static int open_family(struct netlink *nl, enum nl_family family, struct vbm_error *err)
{
	struct opening o = {.sock = nl_socket_alloc(), .family = family};
	int ret;

	if (!o.sock)
		return vbm_fail(err, ENOMEM, "out of memory");
	ret = netns_call(nl->netns_fd, connect_sock, &o, err);
	if (ret < 0) {
		nl_socket_free(o.sock);
		return ret;
	}
	/* Without this, libnl reads each message twice, to see its length first. */
	if (nl_socket_set_msg_buf_size(o.sock, MESSAGE_MAX) == 0)
		nl_socket_disable_msg_peek(o.sock);
	nl->sock[family] = o.sock;
	return 0;
}

int netlink_open(struct netlink **out, int netns_fd, struct vbm_error *err)
{
	struct netlink *nl = xcalloc(1, sizeof(*nl));
	int ret;

	nl->netns_fd = netns_fd;
	ret = open_family(nl, NL_ROUTE, err);
	if (ret < 0) {
		netlink_close(nl);
		return ret;
	}
	*out = nl;
	return 0;
}

struct subscription {
	int group, fd;
};

static int subscribe(void *arg, struct vbm_error *err)
{
	struct sockaddr_nl self = {.nl_family = AF_NETLINK};
	struct subscription *s = arg;

	s->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (s->fd >= 0 && bind(s->fd, (struct sockaddr *)&self, sizeof(self)) == 0 &&
	    setsockopt(s->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &s->group,
		       sizeof(s->group)) == 0)
		return 0;
	return vbm_fail(err, errno, "cannot listen to route netlink: %s", strerror(errno));
}

int nl_subscribe(struct netlink *nl, int group, int *fd, struct vbm_error *err)
{
	struct subscription s = {.group = group, .fd = -1};
	int ret = netns_call(nl->netns_fd, subscribe, &s, err);

	*fd = s.fd;
	return ret;
}

void nl_await_change(int fd, int64_t deadline_ns)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	char drop[4096];

	poll(&pfd, 1, clock_left_ms(deadline_ns));
	while (recv(fd, drop, sizeof(drop), MSG_DONTWAIT) > 0)
		;
}

void netlink_close(struct netlink *nl)
{
	int i;

	if (!nl)
		return;
	for (i = 0; i < NL_FAMILIES; i++)
		nl_socket_free(nl->sock[i]);
	free(nl);
}

int nl_netns(const struct netlink *nl)
{
	return nl->netns_fd;
}

struct nl_msg *nl_request(int type, int flags, const void *fixed, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (msg && size && nlmsg_append(msg, (void *)(uintptr_t)fixed, size, NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

void nl_put_ip(struct nl_msg *msg, int attr, const struct ip_prefix *ip)
{
	if (ip->family != AF_UNSPEC)
		nla_put(msg, attr, ip->family == AF_INET ? 4 : 16, ip->addr);
}

bool nl_get_ip(const struct nlattr *attr, int family, int len, struct ip_prefix *ip)
{
	int bytes = family == AF_INET ? 4 : 16;

	memset(ip, 0, sizeof(*ip));
	if (!attr || nla_len(attr) != bytes || len < 0 || len > 8 * bytes)
		return false;
	ip->family = family;
	ip->len = len;
	memcpy(ip->addr, nla_data(attr), (size_t)bytes);
	return true;
}

struct answer {
	nl_reply_fn reply;
	void *arg;
	int error;		/* the kernel's answer: 0 or a negative errno */
	bool one;		/* the first reply is the only one */
	uint32_t seq;		/* of the request */
	bool done;
	char why[128];
};

/* libnl counts answers with an end only, so this compares with the request instead. */
static int on_sequence(struct nl_msg *msg, void *arg)
{
	const struct answer *a = arg;

	return nlmsg_hdr(msg)->nlmsg_seq == a->seq ? NL_OK : NL_SKIP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct answer *a = arg;

	if (a->reply)
		a->reply(nlmsg_hdr(msg), a->arg);
	a->done = a->one;
	return a->one ? NL_STOP : NL_OK;
}

/*
 * Another process changed the network while the kernel listed it. The list has all objects
 * of this fabric nevertheless.
 */
static int on_interrupted(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

static int on_end(struct nl_msg *msg, void *arg)
{
	struct answer *a = arg;

	(void)msg;
	a->done = true;
	return NL_STOP;
}

/* The kernel's explanation follows the header of the failed request. */
static void read_explanation(const struct nlmsgerr *e, struct answer *a)
{
	const struct nlmsghdr *hdr = (const struct nlmsghdr *)((const char *)e - NLMSG_HDRLEN);
	size_t skip = sizeof(*e);
	struct nlattr *attr;

	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
	if (hdr->nlmsg_len < NLMSG_HDRLEN + NLMSG_ALIGN(skip))
		return;
	attr = nla_find((struct nlattr *)((uintptr_t)e + NLMSG_ALIGN(skip)),
			(int)(hdr->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(skip)),
			NLMSGERR_ATTR_MSG);
	if (attr)
		snprintf(a->why, sizeof(a->why), " (%.*s)", nla_len(attr),
			 (const char *)nla_data(attr));
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct answer *a = arg;

	(void)from;
	a->error = e->error;
	a->done = true;
	read_explanation(e, a);
	return NL_STOP;
}

static int exchange(struct nl_sock *sock, struct nl_msg *msg, struct answer *a)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, a);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, a);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, a);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, a);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, a);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, a);
	/* Whoever asks for one object needs no message that says that this was all. */
	a->one = a->reply && !(nlmsg_hdr(msg)->nlmsg_flags & NLM_F_DUMP);
	nl_complete_msg(sock, msg);
	a->seq = nlmsg_hdr(msg)->nlmsg_seq;
	if (a->one)
		nlmsg_hdr(msg)->nlmsg_flags &= (__u16)~NLM_F_ACK;
	ret = nl_send(sock, msg);
	while (ret >= 0 && !a->done)
		ret = nl_recvmsgs(sock, cb);
	nl_cb_put(cb);
	if (a->done)
		return a->error;
	return ret == -NLE_AGAIN ? -ETIMEDOUT : ret == -NLE_NOMEM ? -ENOBUFS : -EIO;
}

int nl_transact(struct netlink *nl, enum nl_family family, struct nl_msg *msg, nl_reply_fn reply,
	    void *arg, struct vbm_error *err, const char *what, ...)
{
	struct answer a = {.reply = reply, .arg = arg};
	char text[128];
	va_list ap;
	int ret = 0;

	if (!msg)
		return vbm_fail(err, ENOMEM, "out of memory");
	if (!nl->sock[family])
		ret = open_family(nl, family, err);
	if (ret < 0) {
		nlmsg_free(msg);
		return ret;
	}
	ret = exchange(nl->sock[family], msg, &a);
	nlmsg_free(msg);
	if (ret >= 0)
		return 0;
	if (!a.done) {
		/*
		 * The rest of this answer may still arrive, so the next request gets a new
		 * socket.
		 */
		nl_socket_free(nl->sock[family]);
		nl->sock[family] = NULL;
	}
	va_start(ap, what);
	vsnprintf(text, sizeof(text), what, ap);
	va_end(ap);
	return vbm_fail(err, -ret, "%s: %s%s%s", text, strerror(-ret), a.why,
			ret == -EPERM ? " (this needs root: CAP_NET_ADMIN)" : "");
}
