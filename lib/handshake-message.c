/* SPDX-License-Identifier: BSD-2-Clause */
#include "handshake-message.h"

#include <string.h>

#define QPN_MAX 0xffffffu

static void put16(uint8_t *at, uint16_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put32(uint8_t *at, uint32_t v)
{
	put16(at, (uint16_t)(v >> 16));
	put16(at + 2, (uint16_t)v);
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

void vbm_handshake_encode(uint8_t out[HANDSHAKE_BYTES], const struct handshake_message *m)
{
	out[0] = 0;
	out[1] = m->flag;
	put16(out + 2, HANDSHAKE_BYTES);
	put16(out + 4, HANDSHAKE_MAGIC);
	put16(out + 6, m->client.lid);
	put16(out + 8, m->server.lid);
	put32(out + 10, m->client.qp_num);
	put32(out + 14, m->server.qp_num);
	memcpy(out + 18, m->client.gid.raw, 16);
	memcpy(out + 34, m->server.gid.raw, 16);
}

/* What the sender says of itself. */
static const char *check_address(const struct vbm_qp_address *a)
{
	static const union ibv_gid none;

	if (a->qp_num > QPN_MAX)
		return "a queue pair number of more than 24 bits";
	if (memcmp(&a->gid, &none, sizeof(none)) == 0)
		return "no GID";
	return NULL;
}

const char *vbm_handshake_decode(struct handshake_message *m, const uint8_t in[HANDSHAKE_BYTES])
{
	if (in[0] != 0)
		return "a version other than 0";
	if (get16(in + 2) != HANDSHAKE_BYTES)
		return "a wrong length";
	if (get16(in + 4) != HANDSHAKE_MAGIC)
		return "a wrong magic";
	m->flag = in[1];
	m->client.lid = get16(in + 6);
	m->server.lid = get16(in + 8);
	m->client.qp_num = get32(in + 10);
	m->server.qp_num = get32(in + 14);
	memcpy(m->client.gid.raw, in + 18, 16);
	memcpy(m->server.gid.raw, in + 34, 16);
	switch (m->flag) {
	case HANDSHAKE_SYNC:
	case HANDSHAKE_ACK:
		return check_address(&m->client);
	case HANDSHAKE_SYNC_ACK:
		return check_address(&m->server);
	default:
		return "an unknown flag";
	}
}
