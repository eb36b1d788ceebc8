/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/handshake/message.h"

#include <string.h>

/* The struct of docs/handshake.md as it is printed: "The plain struct". */

#define FLAG_LENGTH 4
#define GID_LENGTH 16

/* The members behind the header, by their offsets. */
enum {
	AT_MAGIC = 0, AT_LID = 2, AT_PEER_LID = 4, AT_QP_NUM = 6, AT_PEER_QP_NUM = 10,
	AT_GID = 14, AT_PEER_GID = 30,
};

void vbm_handshake_complete(struct vbm_handshake_plain *p)
{
	if (!p->header_length)
		p->header_length = FLAG_LENGTH;
	if (!p->flag_length)
		p->flag_length = FLAG_LENGTH;
	if (!p->magic)
		p->magic = HANDSHAKE_MAGIC_0;
	if (!p->sync && !p->ack) {
		p->sync = HANDSHAKE_SYNC;
		p->ack = HANDSHAKE_ACK;
	}
}

static bool is_big(const struct vbm_handshake_plain *p)
{
	return p->network_order || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static void put_number(const struct vbm_handshake_plain *p, uint8_t *at, size_t size, uint64_t v)
{
	size_t i;

	for (i = 0; i < size; i++, v >>= 8)
		at[is_big(p) ? size - 1 - i : i] = (uint8_t)v;
}

static uint64_t get_number(const struct vbm_handshake_plain *p, const uint8_t *at, size_t size)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < size; i++)
		v = v << 8 | at[is_big(p) ? i : size - 1 - i];
	return v;
}

static uint64_t flag_of(const struct vbm_handshake_plain *p, uint8_t flag)
{
	return (flag & HANDSHAKE_SYNC ? p->sync : 0) | (flag & HANDSHAKE_ACK ? p->ack : 0);
}

size_t vbm_handshake_encode_plain(uint8_t out[HANDSHAKE_BYTES_MAX], const struct handshake_message *m,
				  const struct vbm_handshake_plain *p)
{
	uint8_t *at = out + p->header_length;

	memcpy(out, p->header, p->header_length);
	put_number(p, out + p->flag_offset, p->flag_length, flag_of(p, m->flag));
	put_number(p, at + AT_MAGIC, 2, p->magic);
	put_number(p, at + AT_LID, 2, m->client.address.lid);
	put_number(p, at + AT_PEER_LID, 2, m->server.address.lid);
	put_number(p, at + AT_QP_NUM, 4, m->client.address.qp_num);
	put_number(p, at + AT_PEER_QP_NUM, 4, m->server.address.qp_num);
	memcpy(at + AT_GID, m->client.address.gid.raw, GID_LENGTH);
	memcpy(at + AT_PEER_GID, m->server.address.gid.raw, GID_LENGTH);
	return vbm_handshake_plain_length(p);
}

/* The predicates of the document compare the whole flag. */
static uint8_t read_flag(const struct vbm_handshake_plain *p, const uint8_t *in)
{
	uint64_t flag = get_number(p, in + p->flag_offset, p->flag_length);
	uint8_t f;

	for (f = HANDSHAKE_SYNC; f <= HANDSHAKE_SYNC_ACK; f++)
		if (flag == flag_of(p, f))
			return f;
	return 0;
}

const char *vbm_handshake_decode_plain(struct handshake_message *m, const uint8_t *in,
				       const struct vbm_handshake_plain *p)
{
	const uint8_t *at = in + p->header_length;
	uint16_t magic = (uint16_t)get_number(p, at + AT_MAGIC, 2);

	*m = (struct handshake_message){.flag = read_flag(p, in)};
	if (magic != p->magic)
		return magic == (uint16_t)(p->magic >> 8 | p->magic << 8) ?
			       "a magic in another byte order" : "a wrong magic";
	if (!m->flag)
		return "an unknown flag";
	m->client.address.lid = (uint16_t)get_number(p, at + AT_LID, 2);
	m->server.address.lid = (uint16_t)get_number(p, at + AT_PEER_LID, 2);
	m->client.address.qp_num = (uint32_t)get_number(p, at + AT_QP_NUM, 4);
	m->server.address.qp_num = (uint32_t)get_number(p, at + AT_PEER_QP_NUM, 4);
	memcpy(m->client.address.gid.raw, at + AT_GID, GID_LENGTH);
	memcpy(m->server.address.gid.raw, at + AT_PEER_GID, GID_LENGTH);
	return vbm_handshake_check_end(m->flag == HANDSHAKE_SYNC_ACK ? &m->server : &m->client);
}
