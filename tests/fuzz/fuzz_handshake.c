/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/message.c lib/handshake/state.c */
/*
 * A peer of the handshake that sends anything. The first byte is this end's role and
 * versions. Then each event is a byte, followed by a number of bytes and the bytes
 * themselves if the event has some. An end may be connected only after the steps of its
 * role, and only with values of the peer that a queue pair accepts.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/handshake/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct vbm_qp_terms plain = {1024, 0, 0, 1, 1};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_peer(const struct handshake *h)
{
	static const union ibv_gid none;
	struct vbm_qp_terms t;

	must(h->versions >> h->version & 1);
	must(h->peer.address.qp_num <= 0xffffff);
	must(memcmp(&h->peer.address.gid, &none, sizeof(none)) != 0);
	must(h->version == 1 || h->peer_private_length == 0);
	must(h->peer_private_length <= VBM_HANDSHAKE_PRIVATE_MAX);
	vbm_handshake_terms(h, &t);
	must(t.mtu >= 256 && t.mtu <= 4096 && t.rq_psn <= 0xffffff && t.sq_psn <= 0xffffff);
	must(t.max_rd_atomic <= 16 && t.max_dest_rd_atomic <= 16);
}

/* Takes one event from the input. Returns the number of bytes that it used. */
static size_t next(struct handshake *h, const uint8_t *data, size_t size,
		   enum handshake_action *action)
{
	enum handshake_event event = (enum handshake_event)(*data % HANDSHAKE_EVENTS);
	uint8_t *room;
	size_t n, most;

	if (size < 2 || (event != HANDSHAKE_RECEIVED && event != HANDSHAKE_SENT &&
			 event != HANDSHAKE_REFUSE)) {
		*action = vbm_handshake_step(h, event, 0);
		return 1;
	}
	n = data[1];
	if (event != HANDSHAKE_RECEIVED) {
		*action = vbm_handshake_step(h, event, n);
		return 2;
	}
	room = vbm_handshake_room(h, &most);
	must(room + most <= h->in + sizeof(h->in));
	n = n < most ? n : most;
	n = n < size - 2 ? n : size - 2;
	memcpy(room, data + 2, n);
	*action = vbm_handshake_step(h, event, n);
	return 2 + n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct handshake_end own = {
		.address = {.qp_num = 17, .gid.raw = {[15] = 1}}, .psn = 5, .mtu = IBV_MTU_1024,
		.responder_resources = 16, .initiator_depth = 16,
	};
	bool was_in_rts = false, had_ack = false;
	enum handshake_action action;
	struct handshake h;
	size_t n;

	if (!size)
		return 0;
	vbm_handshake_init(&h, *data & 1, (uint8_t)(1 + (*data >> 1) % 3), &own, &plain);
	h.private_data = "private";
	h.private_length = 7;
	for (data++, size--; size; data += n, size -= n) {
		had_ack = had_ack || h.state == HANDSHAKE_AWAITS_ACK;
		n = next(&h, data, size, &action);
		must(h.state < HANDSHAKE_STATES);
		must(h.got <= h.wanted && h.wanted <= sizeof(h.in));
		must(h.sent <= h.length && h.length <= sizeof(h.out));
		was_in_rts = was_in_rts || action == HANDSHAKE_GO_TO_RTS;
		if (action == HANDSHAKE_GO_TO_RTS || action == HANDSHAKE_DONE)
			check_peer(&h);
		must((action == HANDSHAKE_DONE) == (h.state == HANDSHAKE_CONNECTED));
		must((action == HANDSHAKE_STOP) == (h.state == HANDSHAKE_FAILED));
		must(action != HANDSHAKE_DONE || (was_in_rts && (h.is_client || had_ack)));
		must(action != HANDSHAKE_STOP || (h.error && h.why));
	}
	return 0;
}
