/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutants of verbatim-handshake, for the rows of scenarios/mutants.tsv with the target
 * "handshake". The linker puts each __wrap_CALL of this file in front of the call of the
 * library (Makemodule.am lists them), so one program has all mutants. HANDSHAKE_MUTANTS has
 * the lines of VERBATIM_MUTANTS (mutant.h).
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <verbatim/negotiator.h>
#include <verbatim/transfer.h>

#include "lib/handshake/drive.h"
#include "lib/qp/qp.h"

/* The wrapper has the type of the call, as the linker does not look. */
#define WRAP(type, call, ...)                                                 \
	type __real_##call(__VA_ARGS__);                                      \
	type __wrap_##call(__VA_ARGS__);                                      \
	_Static_assert(__builtin_types_compatible_p(__typeof__(__real_##call), __typeof__(call)), #call); \
	type __wrap_##call(__VA_ARGS__)

static bool is_of(const char *variant, const char *scenario, size_t len)
{
	return strncmp(variant, scenario, len) == 0 && (!variant[len] || variant[len] == '[');
}

/* A line is "SCENARIO MUTANT HOW". */
static bool on(const char *mutant)
{
	const char *variant = getenv("VERBATIM_VARIANT"), *line = getenv("HANDSHAKE_MUTANTS"), *name;
	size_t len = strlen(mutant);

	for (; variant && line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		name = strchr(line, ' ');
		if (name && is_of(variant, line, (size_t)(name - line)) &&
		    strncmp(name + 1, mutant, len) == 0 && strchr(" \n", name[1 + len]))
			return true;
	}
	return false;
}

/* A change of a message that an end is about to send. */
struct change {
	const char *mutant;
	uint8_t flag;		/* in messages with this flag */
	uint8_t at;		/* this byte of version 0, or of the head of version 1, */
	uint8_t bits;		/* changes by these bits */
};

static const struct change changes[] = {
	{"hsk-length", HANDSHAKE_SYNC, 3, 1},
	{"hsk-magic", HANDSHAKE_SYNC, 4, 1},
	{"hsk-lid", HANDSHAKE_SYNC, 7, 1},
	{"hsk-qp_num", HANDSHAKE_SYNC, 13, 1},
	{"hsk-gid", HANDSHAKE_SYNC, 33, 64},
	{"hsk-peer_lid", HANDSHAKE_SYNC_ACK, 9, 1},
	{"hsk-peer_qp_num", HANDSHAKE_SYNC_ACK, 17, 1},
	{"hsk-peer_gid", HANDSHAKE_SYNC_ACK, 49, 64},
	{"hsk-reply-flag", HANDSHAKE_SYNC_ACK, 1, HANDSHAKE_ACK},
	{"hsk-refusal-versions", HANDSHAKE_REFUSAL, 7, 3},
	{"hsk-private-data", HANDSHAKE_SYNC_ACK, 72, 1},
	{"hsk-private-data", HANDSHAKE_SYNC, 72, 1},
};

static void change_bytes(uint8_t *out, const struct handshake_message *m, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (changes[i].flag == m->flag && changes[i].at < length && on(changes[i].mutant))
			out[changes[i].at] ^= changes[i].bits;
}

/* The bytes of a number the other way round. */
static void reverse(uint8_t *at)
{
	uint8_t copy[4];
	int i;

	memcpy(copy, at, sizeof(copy));
	for (i = 0; i < 4; i++)
		at[i] = copy[3 - i];
}

WRAP(size_t, vbm_handshake_encode, uint8_t *out, const struct handshake_message *m)
{
	struct handshake_message other = *m;
	size_t length;

	if (on("hsk-first-empty") && m->flag == HANDSHAKE_SYNC)
		memset(&other.client.address, 0, sizeof(other.client.address));
	if (on("hsk-third-differs") && m->flag == HANDSHAKE_ACK)
		other.client.address.qp_num ^= 1;
	if (on("hsk-sender-relative") && m->flag == HANDSHAKE_ACK) {
		other.client = m->server;
		other.server = m->client;
	}
	length = __real_vbm_handshake_encode(out, &other);
	change_bytes(out, m, length);
	if (on("hsk-host-order"))
		reverse(out + 10);
	if (on("hsk-twice") && m->flag == HANDSHAKE_SYNC_ACK && m->version == 0) {
		memcpy(out + length, out, length);
		length *= 2;
	}
	return length;
}

WRAP(size_t, vbm_handshake_encode_plain, uint8_t *out, const struct handshake_message *m,
     const struct vbm_handshake_plain *plain)
{
	size_t length = __real_vbm_handshake_encode_plain(out, m, plain);

	if (on("hsk-plain-order"))
		reverse(out + plain->header_length + (m->flag == HANDSHAKE_SYNC_ACK ? 10 : 6));
	return length;
}

/* Each predicate compares the whole flag: these look at bits. */
WRAP(const char *, vbm_handshake_decode, struct handshake_message *m, const uint8_t *in)
{
	uint8_t copy[HANDSHAKE_BYTES_MAX];
	uint8_t flag = in[1];

	if (on("hsk-sync-bit") && (flag & HANDSHAKE_SYNC_ACK) == HANDSHAKE_SYNC)
		flag = HANDSHAKE_SYNC;
	if (on("hsk-sync-ack-bits") && (flag & HANDSHAKE_SYNC_ACK) == HANDSHAKE_SYNC_ACK)
		flag = HANDSHAKE_SYNC_ACK;
	if (on("hsk-ack-bit") && (flag & HANDSHAKE_SYNC_ACK) == HANDSHAKE_ACK)
		flag = HANDSHAKE_ACK;
	if (on("hsk-any-flag"))
		flag = HANDSHAKE_SYNC;
	if (flag == in[1])
		return __real_vbm_handshake_decode(m, in);
	memcpy(copy, in, sizeof(copy));
	copy[1] = flag;
	return __real_vbm_handshake_decode(m, copy);
}

WRAP(bool, vbm_handshake_same, const struct handshake_end *a, const struct handshake_end *b)
{
	return on("hsk-unchecked") || __real_vbm_handshake_same(a, b);
}

WRAP(void, vbm_handshake_terms, const struct handshake *h, struct vbm_qp_terms *terms)
{
	__real_vbm_handshake_terms(h, terms);
	if (on("hsk-own-mtu"))
		terms->mtu = 128 << h->own.mtu;
}

WRAP(enum handshake_action, vbm_handshake_step, struct handshake *h, enum handshake_event event, size_t n)
{
	enum handshake_action action = __real_vbm_handshake_step(h, event, n);

	if (on("hsk-connected-early") && h->state == HANDSHAKE_AWAITS_ACK && action == HANDSHAKE_RECEIVE) {
		h->state = HANDSHAKE_CONNECTED;
		return HANDSHAKE_DONE;
	}
	if (on("hsk-no-fallback") && h->error == EPROTONOSUPPORT)
		h->error = ECONNRESET;
	return action;
}

WRAP(int, vbm_handshake_to_rts, const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error)
{
	struct handshake other = *h;

	if (on("hsk-stores-another"))
		other.peer.address.qp_num ^= 1;
	return __real_vbm_handshake_to_rts(&other, qp, error);
}

WRAP(int, vbm_qp_agreed_to_rts, struct vbm_qp *qp, const struct vbm_qp_terms *terms, struct vbm_error *error)
{
	int ret = __real_vbm_qp_agreed_to_rts(qp, terms, error);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};

	if (on("hsk-three-calls"))
		ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE);
	return on("hsk-fails-without-reason") && ret == 0 ? EIO : ret;
}

WRAP(int, ibv_modify_qp, struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	bool rtr = attr->qp_state == IBV_QPS_RTR, rts = attr->qp_state == IBV_QPS_RTS;
	int ret;

	if (rts && on("hsk-never-in-rts"))
		return 0;
	if ((rtr && on("hsk-rtr-mask")) || (rts && on("hsk-rts-mask")))
		mask |= IBV_QP_ACCESS_FLAGS;
	if (rtr && on("hsk-not-global"))
		attr->ah_attr.is_global = 0;
	ret = __real_ibv_modify_qp(qp, attr, mask);
	return on("hsk-result-ignored") ? 0 : ret;
}

WRAP(int, vbm_post_sends, struct vbm_qp *qp, const struct vbm_send *send, size_t count, size_t *posted)
{
	if (on("hsk-no-send"))
		return ENOTCONN;
	if (on("hsk-send-early") && qp->qp->state == IBV_QPS_RTS)
		qp->connecting = 0;
	return __real_vbm_post_sends(qp, send, count, posted);
}

WRAP(int, vbm_negotiator_listen, struct vbm_negotiator *n, const struct sockaddr *a,
     const struct vbm_listen_options *o, void *context, int *listener)
{
	if (on("hsk-ipv4-only") && a->sa_family == AF_INET6)
		return EAFNOSUPPORT;
	return __real_vbm_negotiator_listen(n, a, o, context, listener);
}

WRAP(int, vbm_negotiator_collect, struct vbm_negotiator *n, struct vbm_outcome *o, int room, int *count)
{
	int rc;

	if (on("hsk-polling-waits"))
		poll(NULL, 0, 1000);
	if (on("hsk-polling-thread-receives"))
		recv(-1, NULL, 0, 0);
	rc = __real_vbm_negotiator_collect(n, o, room, count);
	if (rc == 0 && *count && o->result && on("hsk-another-outcome"))
		o->result = EIO;
	return rc;
}
