/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/handshake/drive.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/addr.h"
#include "lib/base/fail.h"
#include "lib/base/options.h"
#include "lib/qp/qp.h"

#define KEEPALIVE_MIN_MS 1000	/* the kernel counts in seconds */

static void set_number(int socket, int level, int name, int value)
{
	setsockopt(socket, level, name, &value, sizeof(value));
}

/*
 * Half of the time passes before the first question. The kernel ends the connection by
 * TCP_USER_TIMEOUT, whether data or only questions have no answer.
 */
void vbm_handshake_mind_peer(int socket, int keepalive_ms, uint8_t traffic_class)
{
	if (traffic_class) {
		set_number(socket, IPPROTO_IP, IP_TOS, traffic_class);	/* IPv4, on an IPv6 socket, too */
		set_number(socket, IPPROTO_IPV6, IPV6_TCLASS, traffic_class);
	}
	if (keepalive_ms < 0)
		return;
	set_number(socket, IPPROTO_TCP, TCP_KEEPIDLE, keepalive_ms < 4000 ? 1 : keepalive_ms / 2000);
	set_number(socket, IPPROTO_TCP, TCP_KEEPINTVL, keepalive_ms < 16000 ? 1 : keepalive_ms / 8000);
	set_number(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, keepalive_ms);
	set_number(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

/* The call that fails, or NULL. */
static const char *bind_listener(int fd, const struct sockaddr *at, socklen_t len)
{
	static const int on = 1, off;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    (at->sa_family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off))))
		return "setsockopt";
	return bind(fd, at, len) ? "bind" : NULL;
}

int vbm_handshake_listener_like(int *fd, const struct sockaddr *at, socklen_t len, int backlog,
				int keepalive_ms, uint8_t traffic_class, const char **call)
{
	int rc, s = socket(at->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*call = s < 0 ? "socket" : bind_listener(s, at, len);
	if (!*call) {
		vbm_handshake_mind_peer(s, keepalive_ms, traffic_class);
		*call = listen(s, backlog) ? "listen" : NULL;
	}
	*fd = *call ? -1 : s;
	if (!*call)
		return 0;
	rc = errno;
	if (s >= 0)
		close(s);
	return rc;
}

int vbm_handshake_listener(int *fd, const struct sockaddr *at, socklen_t len, int backlog,
			   const char **call)
{
	return vbm_handshake_listener_like(fd, at, len, backlog, -1, 0, call);
}

/* 0, or EINVAL with the mistake in @error. */
static int check_plain(const struct vbm_handshake_options *o, struct vbm_error *error)
{
	struct vbm_handshake_plain p = o->plain;
	uint64_t limit;

	if (o->version != VBM_HANDSHAKE_PLAIN)
		return 0;
	vbm_handshake_complete(&p);
	if (p.header_length > VBM_HANDSHAKE_HEADER_MAX)
		return -vbm_fail(error, EINVAL, "plain.header_length: %u is more than %d", p.header_length,
				 VBM_HANDSHAKE_HEADER_MAX);
	if (p.flag_length > 8 || (p.flag_length & (p.flag_length - 1)))
		return -vbm_fail(error, EINVAL, "plain.flag_length: %u is not 1, 2, 4 or 8", p.flag_length);
	if (p.flag_offset + p.flag_length > p.header_length)
		return -vbm_fail(error, EINVAL, "plain.flag_offset: the flag ends at byte %u, and the header "
				 "has %u bytes", (unsigned int)p.flag_offset + p.flag_length, p.header_length);
	limit = p.flag_length < 4 ? 1ull << 8 * p.flag_length : 1ull << 32;
	if (!(p.sync & ~p.ack) || !(p.ack & ~p.sync) || (p.sync | p.ack) >= limit)
		return -vbm_fail(error, EINVAL, "plain.sync, plain.ack: %#x and %#x are not two flags in %u bytes",
				 p.sync, p.ack, p.flag_length);
	return 0;
}

int vbm_handshake_check(const struct vbm_handshake_options *o, struct vbm_error *error)
{
	if (o->version != VBM_HANDSHAKE_ANY && o->version != VBM_HANDSHAKE_ONLY_0 &&
	    o->version != VBM_HANDSHAKE_ONLY_1 && o->version != VBM_HANDSHAKE_PLAIN)
		return -vbm_fail(error, EINVAL, "version: %d is not a value of enum vbm_handshake_version",
				 (int)o->version);
	if (o->private_length > VBM_HANDSHAKE_PRIVATE_MAX)
		return -vbm_fail(error, EINVAL, "private_length: %zu is more than %d", o->private_length,
				 VBM_HANDSHAKE_PRIVATE_MAX);
	if (o->private_length && !o->private_data)
		return -vbm_fail(error, EINVAL, "private_length: %zu, and private_data is NULL",
				 o->private_length);
	if (o->private_length && o->version == VBM_HANDSHAKE_ONLY_0)
		return -vbm_fail(error, EINVAL, "private_length: version 0 cannot carry private data");
	if (o->private_length && o->version == VBM_HANDSHAKE_PLAIN)
		return -vbm_fail(error, EINVAL, "private_length: the plain struct cannot carry private data");
	if (o->keepalive_ms && o->keepalive_ms < KEEPALIVE_MIN_MS)
		return -vbm_fail(error, EINVAL, "keepalive_ms: %d is less than %d", o->keepalive_ms, KEEPALIVE_MIN_MS);
	return check_plain(o, error);
}

void vbm_handshake_options_init_sized(struct vbm_handshake_options *options, size_t size)
{
	static const struct vbm_handshake_options all;

	vbm_options_give(options, size, &all, sizeof(all));
}

int vbm_handshake_take_options(struct vbm_handshake_options *to, const struct vbm_handshake_options *from,
			       struct vbm_error *error)
{
	int rc;

	vbm_handshake_options_init(to);
	rc = vbm_options_take(to, offsetof(struct vbm_handshake_options, reserved), from, "handshake_options",
			      error);
	return rc ? rc : vbm_handshake_check(to, error);
}

/* The versions that the options allow, as a set of bits. */
static uint8_t versions_of(const struct vbm_handshake_options *o)
{
	static const uint8_t bits[] = {
		[VBM_HANDSHAKE_ANY] = 3, [VBM_HANDSHAKE_ONLY_0] = 1, [VBM_HANDSHAKE_ONLY_1] = 2,
		[VBM_HANDSHAKE_PLAIN] = 1,
	};

	return bits[o->version];
}

/*
 * Each connection begins with another packet number, so that late packets of an earlier
 * connection with the same queue pair numbers do not fit into this one.
 */
static uint32_t first_psn(const struct vbm_qp *qp)
{
	/* One system call for many connections of a thread. */
	static __thread uint32_t numbers[64];
	static __thread unsigned int left;
	uint32_t psn = qp->options.psn;

	if (!psn && !left && getrandom(numbers, sizeof(numbers), GRND_NONBLOCK) == (ssize_t)sizeof(numbers))
		left = sizeof(numbers) / sizeof(*numbers);
	if (!psn)
		psn = left ? numbers[--left] : qp->local.qp_num * 2654435761u;
	return psn & HANDSHAKE_24_BITS;
}

static void describe_end(const struct vbm_qp *qp, struct handshake_end *end)
{
	const struct vbm_qp_options *o = &qp->options;
	int access = o->access, mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && 128 << mtu < o->mtu)
		mtu++;
	*end = (struct handshake_end){
		.address = qp->local,
		.psn = first_psn(qp),
		.capabilities = (uint16_t)((access & IBV_ACCESS_REMOTE_WRITE ? VBM_HANDSHAKE_CAN_WRITE : 0) |
					   (access & IBV_ACCESS_REMOTE_READ ? VBM_HANDSHAKE_CAN_READ : 0) |
					   (access & IBV_ACCESS_REMOTE_ATOMIC ? VBM_HANDSHAKE_CAN_ATOMIC : 0)),
		.gid_index = qp->place.gid_index,
		.mtu = (uint8_t)mtu,
		.responder_resources = o->max_dest_rd_atomic,
		.initiator_depth = o->max_rd_atomic,
	};
}

/* The address as a GID of RoCE v2. False when it is no IP address. */
static bool as_gid(const union addr *a, union ibv_gid *gid)
{
	vbm_addr_to_gid(a, gid->raw);
	return a->sa.sa_family == AF_INET || a->sa.sa_family == AF_INET6;
}

void vbm_handshake_gids(struct handshake_gids *gids, int socket, const union addr *own,
			const union addr *peer, const struct vbm_handshake_options *o)
{
	union addr local, remote;
	socklen_t local_len = sizeof(local), remote_len = sizeof(remote);

	memset(&local, 0, sizeof(local));
	memset(&remote, 0, sizeof(remote));
	*gids = (struct handshake_gids){.is_any = true};
	if (o->foreign_gid || (!own && getsockname(socket, &local.sa, &local_len)))
		return;
	if (!peer && getpeername(socket, &remote.sa, &remote_len) == 0)
		peer = &remote;
	gids->is_any = !as_gid(own ? own : &local, &gids->own) || !peer || !as_gid(peer, &gids->peer);
}

/* Takes the options that concern a state machine that has begun. */
static void take_options(struct handshake *h, const struct vbm_handshake_options *o)
{
	h->private_data = o->private_data;
	h->private_length = (uint8_t)o->private_length;
	h->is_plain = o->version == VBM_HANDSHAKE_PLAIN;
	if (!h->is_plain)
		return;
	h->plain = o->plain;
	vbm_handshake_complete(&h->plain);
}

bool vbm_handshake_fits(const struct handshake_gids *gids, const struct vbm_qp *qp)
{
	return gids->is_any || memcmp(&gids->own, &qp->local.gid, sizeof(gids->own)) == 0;
}

static void expect_gid(struct handshake *h, const struct handshake_gids *gids)
{
	h->check_gid = !gids->is_any;
	h->gid = gids->peer;
}

int vbm_handshake_prepare(struct handshake *h, bool is_client, const struct vbm_qp *qp, int socket,
			  const union addr *peer, const struct vbm_handshake_options *o,
			  struct vbm_error *error)
{
	struct handshake_gids gids;
	struct vbm_qp_terms terms;
	struct handshake_end own;

	vbm_handshake_gids(&gids, socket, NULL, peer, o);
	if (!vbm_handshake_fits(&gids, qp))
		return -vbm_fail(error, EPROTO, "the GID of queue pair %u is not the address of this end of the "
				 "socket, so the peer's GID cannot be checked: see foreign_gid",
				 qp->local.qp_num);
	vbm_qp_own_terms(qp, &terms);
	describe_end(qp, &own);
	vbm_handshake_init(h, is_client, versions_of(o), &own, &terms);
	take_options(h, o);
	expect_gid(h, &gids);
	return 0;
}

void vbm_handshake_await(struct handshake *h, const struct vbm_handshake_options *o)
{
	static const struct vbm_qp_terms terms;
	static const struct handshake_end own;

	vbm_handshake_init(h, false, versions_of(o), &own, &terms);
	take_options(h, o);
}

void vbm_handshake_adopt(struct handshake *h, const struct vbm_qp *qp, const struct handshake_gids *gids)
{
	vbm_qp_own_terms(qp, &h->terms);
	describe_end(qp, &h->own);
	expect_gid(h, gids);
}

bool vbm_handshake_peer_fits(const struct handshake *h, const struct handshake_gids *gids)
{
	return gids->is_any || memcmp(&gids->peer, &h->peer.address.gid, sizeof(gids->peer)) == 0;
}

int vbm_handshake_carry(struct handshake *h, int socket, enum handshake_action *action)
{
	bool write = *action == HANDSHAKE_SEND;
	const uint8_t *rest;
	uint8_t *room;
	ssize_t n;
	size_t size;

	if (write) {
		rest = vbm_handshake_rest(h, &size);
		n = send(socket, rest, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	} else {
		room = vbm_handshake_room(h, &size);
		n = recv(socket, room, size, MSG_DONTWAIT);
	}
	if (n > 0)
		*action = vbm_handshake_step(h, write ? HANDSHAKE_SENT : HANDSHAKE_RECEIVED, (size_t)n);
	else if (n == 0 || errno == ECONNRESET || errno == EPIPE)
		*action = vbm_handshake_step(h, HANDSHAKE_CLOSED, 0);
	else
		return errno == EINTR ? 0 : errno == EWOULDBLOCK ? EAGAIN : errno;
	return 0;
}

int vbm_handshake_to_rts(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error)
{
	struct vbm_qp_terms terms;

	qp->peer = h->peer.address;
	vbm_handshake_terms(h, &terms);
	return vbm_qp_agreed_to_rts(qp, &terms, error);
}

void vbm_handshake_give_up(struct vbm_qp *qp)
{
	if (qp->qp->state != IBV_QPS_INIT)
		vbm_qp_to_error(qp);
}

int vbm_handshake_explain(const struct handshake *h, const struct vbm_qp *qp, struct vbm_error *error)
{
	return -vbm_fail(error, h->error, "the handshake of queue pair %u fails: %s%s",
			 qp->local.qp_num, h->error == EPROTO ? "the peer sent " : "", h->why);
}

void vbm_handshake_tell(const struct handshake *h, struct vbm_handshake_peer *peer)
{
	memset(peer, 0, sizeof(*peer));
	peer->version = h->version;
	peer->capabilities = h->peer.capabilities;
	peer->gid_index = h->peer.gid_index;
	peer->private_length = h->peer_private_length;
	if (h->peer_private_length)
		memcpy(peer->private_data, vbm_handshake_private(h), h->peer_private_length);
}
