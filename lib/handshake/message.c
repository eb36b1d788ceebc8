/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/handshake/message.h"

#include <string.h>

#define MULTICAST_QPN 0xffffffu

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

static size_t put_head(uint8_t *out, const struct handshake_message *m, size_t length)
{
	out[0] = m->version;
	out[1] = m->flag;
	put16(out + 2, (uint16_t)length);
	put16(out + 4, m->version == 0 ? HANDSHAKE_MAGIC_0 : HANDSHAKE_MAGIC_1);
	return length;
}

static void put_end(uint8_t *at, const struct handshake_end *e)
{
	put16(at, e->address.lid);
	at[2] = e->gid_index;
	at[3] = e->mtu;
	put32(at + 4, e->address.qp_num);
	put32(at + 8, e->psn);
	at[12] = e->responder_resources;
	at[13] = e->initiator_depth;
	put16(at + 14, e->capabilities);
	memcpy(at + 16, e->address.gid.raw, 16);
}

static void get_end(struct handshake_end *e, const uint8_t *at)
{
	e->address.lid = get16(at);
	e->gid_index = at[2];
	e->mtu = at[3];
	e->address.qp_num = get32(at + 4);
	e->psn = get32(at + 8);
	e->responder_resources = at[12];
	e->initiator_depth = at[13];
	e->capabilities = get16(at + 14);
	memcpy(e->address.gid.raw, at + 16, 16);
}

static size_t encode_0(uint8_t *out, const struct handshake_message *m)
{
	put16(out + 6, m->client.address.lid);
	put16(out + 8, m->server.address.lid);
	put32(out + 10, m->client.address.qp_num);
	put32(out + 14, m->server.address.qp_num);
	memcpy(out + 18, m->client.address.gid.raw, 16);
	memcpy(out + 34, m->server.address.gid.raw, 16);
	return put_head(out, m, HANDSHAKE_BYTES_0);
}

static void decode_0(struct handshake_message *m, const uint8_t *in)
{
	m->client.address.lid = get16(in + 6);
	m->server.address.lid = get16(in + 8);
	m->client.address.qp_num = get32(in + 10);
	m->server.address.qp_num = get32(in + 14);
	memcpy(m->client.address.gid.raw, in + 18, 16);
	memcpy(m->server.address.gid.raw, in + 34, 16);
}

static size_t put_private(uint8_t *out, const struct handshake_message *m, size_t at)
{
	if (m->private_length)
		memcpy(out + at, m->private_data, m->private_length);
	return put_head(out, m, at + m->private_length);
}

size_t vbm_handshake_encode(uint8_t out[HANDSHAKE_BYTES_MAX], const struct handshake_message *m)
{
	if (m->version == 0)
		return encode_0(out, m);
	if (m->flag == HANDSHAKE_REFUSAL) {
		out[6] = m->reason;
		out[7] = m->versions;
		return put_private(out, m, HANDSHAKE_REFUSAL_BYTES);
	}
	put16(out + 6, (uint16_t)m->private_length);
	put_end(out + 8, &m->client);
	put_end(out + 40, &m->server);
	return put_private(out, m, HANDSHAKE_BYTES_1);
}

const char *vbm_handshake_head(const uint8_t *in, size_t *length)
{
	size_t fixed = in[1] == HANDSHAKE_REFUSAL ? HANDSHAKE_REFUSAL_BYTES : HANDSHAKE_BYTES_1;

	*length = get16(in + 2);
	if (get16(in + 4) != (in[0] == 0 ? HANDSHAKE_MAGIC_0 : HANDSHAKE_MAGIC_1))
		return "a wrong magic";
	if (in[0] > 1)
		*length = HANDSHAKE_HEAD;
	else if (in[0] == 0 && *length != HANDSHAKE_BYTES_0)
		return "a wrong length";
	else if (in[0] == 1 && (*length < fixed || *length > fixed + VBM_HANDSHAKE_PRIVATE_MAX))
		return "a wrong length";
	return NULL;
}

const char *vbm_handshake_check_end(const struct handshake_end *e)
{
	static const union ibv_gid none;

	if (e->address.qp_num > HANDSHAKE_24_BITS)
		return "a queue pair number of more than 24 bits";
	if (memcmp(&e->address.gid, &none, sizeof(none)) == 0)
		return "no GID";
	return NULL;
}

static const char *check_1(const struct handshake_end *e)
{
	const char *wrong = vbm_handshake_check_end(e);

	if (wrong)
		return wrong;
	if (e->address.qp_num < 2 || e->address.qp_num == MULTICAST_QPN)
		return "a queue pair number that no connected queue pair has";
	if (e->address.gid.raw[0] == 0xff)
		return "a multicast GID";
	if (e->psn > HANDSHAKE_24_BITS)
		return "a packet number of more than 24 bits";
	if (e->mtu < IBV_MTU_256 || e->mtu > IBV_MTU_4096)
		return "an unknown path MTU";
	return NULL;
}

static const char *decode_1(struct handshake_message *m, const uint8_t *in)
{
	size_t length = get16(in + 2);

	if (m->flag == HANDSHAKE_REFUSAL) {
		m->reason = in[6];
		m->versions = in[7];
		m->private_length = length - HANDSHAKE_REFUSAL_BYTES;
		m->private_data = in + HANDSHAKE_REFUSAL_BYTES;
		return NULL;
	}
	m->private_length = get16(in + 6);
	m->private_data = in + HANDSHAKE_BYTES_1;
	if (m->private_length != length - HANDSHAKE_BYTES_1)
		return "two lengths that do not agree";
	if (m->flag == HANDSHAKE_ACK && m->private_length)
		return "private data in the third message";
	get_end(&m->client, in + 8);
	get_end(&m->server, in + 40);
	return NULL;
}

const char *vbm_handshake_decode(struct handshake_message *m, const uint8_t *in)
{
	const struct handshake_end *sender = &m->client;
	const char *wrong = NULL;

	memset(m, 0, sizeof(*m));
	m->version = in[0];
	m->flag = in[1];
	if (m->version == 0)
		decode_0(m, in);
	else
		wrong = decode_1(m, in);
	if (wrong || (m->version == 1 && m->flag == HANDSHAKE_REFUSAL))
		return wrong;
	if (m->flag == HANDSHAKE_SYNC_ACK)
		sender = &m->server;
	else if (m->flag != HANDSHAKE_SYNC && m->flag != HANDSHAKE_ACK)
		return "an unknown flag";
	return m->version == 0 ? vbm_handshake_check_end(sender) : check_1(sender);
}

bool vbm_handshake_same(const struct handshake_end *a, const struct handshake_end *b)
{
	uint8_t bytes[2][32];

	put_end(bytes[0], a);
	put_end(bytes[1], b);
	return memcmp(bytes[0], bytes[1], sizeof(bytes[0])) == 0;
}
