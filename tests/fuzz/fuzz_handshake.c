/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A peer of the handshake that does anything: the first byte is our role, then
 * each event is a byte, followed by a message where it is one that came.
 * Whatever it does, an end is connected only after the steps of that role, with
 * values of the peer that a queue pair can take.
 */
#include <stdlib.h>
#include <string.h>

#include "handshake-state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_peer(const struct handshake *h)
{
	static const union ibv_gid none;

	must(h->peer.qp_num <= 0xffffff);
	must(memcmp(&h->peer.gid, &none, sizeof(none)) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct vbm_qp_address own = {.qp_num = 17, .gid.raw = {[15] = 1}};
	bool was_in_rts = false, had_ack = false;
	enum handshake_action action;
	enum handshake_event event;
	uint8_t in[HANDSHAKE_BYTES];
	struct handshake h;
	size_t n;

	if (!size)
		return 0;
	vbm_handshake_init(&h, *data & 1, &own);
	for (data++, size--; size; data += n, size -= n) {
		event = (enum handshake_event)(*data % HANDSHAKE_EVENTS);
		n = 1;
		memset(in, 0, sizeof(in));
		if (event == HANDSHAKE_RECEIVED) {
			n = size > HANDSHAKE_BYTES ? 1 + HANDSHAKE_BYTES : size;
			memcpy(in, data + 1, n - 1);
		}
		had_ack = had_ack || h.state == HANDSHAKE_AWAITS_ACK;
		action = vbm_handshake_step(&h, event, in);
		must(h.state < HANDSHAKE_STATES);
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
