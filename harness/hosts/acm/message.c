/* SPDX-License-Identifier: BSD-2-Clause */
#include "acm/message.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

enum {
	PROTOCOL = 1,
	RESOLVE = 1,
	ANSWERED = 0x80,
};

/* Offsets in the header and in an entry. */
enum {
	HEAD_VERSION = 0,
	HEAD_OPCODE = 1,
	HEAD_STATUS = 2,
	HEAD_LENGTH = 6,
	HEAD_TRANID = 8,
	ITEM_FLAGS = 0,
	ITEM_TYPE = 4,
	ITEM_INFO = 8,
};

/* Offsets in a path record. */
enum {
	PATH_SERVICE_ID = 0,
	PATH_DGID = 8,
	PATH_SGID = 24,
	PATH_FLOW_AND_HOPS = 44,
	PATH_TCLASS = 48,
	PATH_REVERSIBLE = 49,
	PATH_PKEY = 50,
	PATH_SL = 52,
	PATH_MTU = 54,
	PATH_RATE = 55,
	PATH_LIFETIME = 56,
};

enum item_type {
	ITEM_IP4 = 2,
	ITEM_IP6 = 3,
	ITEM_PATH = 0x10,
	ITEM_UNKNOWN = 0x7f,
};

#define IS_SOURCE 1u
#define IS_DESTINATION 2u
#define NO_DELAY (1u << 30)

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool acm_address_read(struct acm_address *a, const char *text)
{
	struct acm_address got = {.set = true};

	memcpy(got.gid, mapped, sizeof(mapped));
	if (inet_pton(AF_INET, text, got.gid + sizeof(mapped)) != 1 &&
	    inet_pton(AF_INET6, text, got.gid) != 1)
		return false;
	*a = got;
	return true;
}

static bool acm_address_is_ip4(const struct acm_address *a)
{
	return memcmp(a->gid, mapped, sizeof(mapped)) == 0;
}

void acm_address_write(const struct acm_address *a, char out[ACM_TEXT])
{
	if (!a->set)
		snprintf(out, ACM_TEXT, "-");
	else if (acm_address_is_ip4(a))
		inet_ntop(AF_INET, a->gid + sizeof(mapped), out, ACM_TEXT);
	else
		inet_ntop(AF_INET6, a->gid, out, ACM_TEXT);
}

size_t acm_question_length(const uint8_t head[ACM_HEAD_SIZE])
{
	uint16_t len;

	memcpy(&len, head + HEAD_LENGTH, sizeof(len));
	if (head[HEAD_VERSION] != PROTOCOL || head[HEAD_OPCODE] != RESOLVE ||
	    len < ACM_HEAD_SIZE || len > ACM_REQUEST_MAX ||
	    (len - ACM_HEAD_SIZE) % ACM_ITEM_SIZE)
		return 0;
	return len;
}

static void take_address(struct acm_question *q, uint32_t flags, const uint8_t *info, bool ip4)
{
	struct acm_address *a = flags & IS_SOURCE ? &q->src : &q->dst;

	if (!(flags & (IS_SOURCE | IS_DESTINATION)))
		return;
	a->set = true;
	if (ip4) {
		memcpy(a->gid, mapped, sizeof(mapped));
		memcpy(a->gid + sizeof(mapped), info, 4);
	} else {
		memcpy(a->gid, info, sizeof(a->gid));
	}
}

static void take_path(struct acm_question *q, const uint8_t *info)
{
	uint16_t pkey;

	if (q->paths++)
		return;
	q->path_dgid.set = true;
	memcpy(q->path_dgid.gid, info + PATH_DGID, sizeof(q->path_dgid.gid));
	memcpy(&pkey, info + PATH_PKEY, sizeof(pkey));
	q->path_pkey = ntohs(pkey);
}

static void take_item(struct acm_question *q, const uint8_t *item)
{
	uint32_t flags;
	uint16_t type;

	memcpy(&flags, item + ITEM_FLAGS, sizeof(flags));
	memcpy(&type, item + ITEM_TYPE, sizeof(type));
	if (flags & NO_DELAY)
		q->no_delay = true;
	if (type == ITEM_PATH)
		take_path(q, item + ITEM_INFO);
	else if (type == ITEM_IP4 || type == ITEM_IP6)
		take_address(q, flags, item + ITEM_INFO, type == ITEM_IP4);
}

bool acm_question_read(struct acm_question *q, const uint8_t *msg, size_t len)
{
	size_t at;

	memset(q, 0, sizeof(*q));
	if (len < ACM_HEAD_SIZE || acm_question_length(msg) != len)
		return false;
	memcpy(q->head, msg, sizeof(q->head));
	for (at = ACM_HEAD_SIZE; at < len; at += ACM_ITEM_SIZE)
		take_item(q, msg + at);
	return true;
}

/* The bytes of the next entry, set to zero; NULL when the message is full. */
static uint8_t *add_item(struct acm_reply_bytes *out, uint32_t flags, enum item_type type)
{
	uint8_t *item = out->data + out->len;
	uint16_t t = (uint16_t)type;

	if (out->len + ACM_ITEM_SIZE > sizeof(out->data))
		return NULL;
	memset(item, 0, ACM_ITEM_SIZE);
	memcpy(item + ITEM_FLAGS, &flags, sizeof(flags));
	memcpy(item + ITEM_TYPE, &t, sizeof(t));
	out->len += ACM_ITEM_SIZE;
	return item + ITEM_INFO;
}

static void add_source(struct acm_reply_bytes *out, const struct acm_address *a)
{
	bool ip4 = acm_address_is_ip4(a);
	uint8_t *info = add_item(out, IS_SOURCE, ip4 ? ITEM_IP4 : ITEM_IP6);

	if (info && ip4)
		memcpy(info, a->gid + sizeof(mapped), 4);
	else if (info)
		memcpy(info, a->gid, sizeof(a->gid));
}

static void add_path(struct acm_reply_bytes *out, const struct acm_path *p,
		     const struct acm_question *q)
{
	const struct acm_address *sgid = p->sgid.set ? &p->sgid : &q->src;
	const struct acm_address *dgid = p->dgid.set ? &p->dgid : &q->dst;
	uint8_t *info = add_item(out, p->flags, ITEM_PATH);
	uint32_t flow = htonl(p->flow_label << 8 | p->hop_limit);
	uint64_t service_id = htobe64(p->service_id);
	uint16_t pkey = htons(p->pkey), sl = htons(p->sl);

	if (!info)
		return;
	memcpy(info + PATH_SERVICE_ID, &service_id, sizeof(service_id));
	memcpy(info + PATH_DGID, dgid->gid, sizeof(dgid->gid));
	memcpy(info + PATH_SGID, sgid->gid, sizeof(sgid->gid));
	memcpy(info + PATH_PKEY, &pkey, sizeof(pkey));
	memcpy(info + PATH_FLOW_AND_HOPS, &flow, sizeof(flow));
	memcpy(info + PATH_SL, &sl, sizeof(sl));
	info[PATH_TCLASS] = p->tclass;
	info[PATH_REVERSIBLE] = 0x81;
	info[PATH_MTU] = p->mtu;
	info[PATH_RATE] = p->rate;
	info[PATH_LIFETIME] = p->lifetime;
}

static void set_length(struct acm_reply_bytes *out, size_t len)
{
	uint16_t n = (uint16_t)len;

	memcpy(out->data + HEAD_LENGTH, &n, sizeof(n));
}

static void make_honest(struct acm_reply_bytes *out, const struct acm_answer *answer,
			const struct acm_question *q)
{
	size_t i;

	memset(out, 0, sizeof(*out));
	memcpy(out->data, q->head, sizeof(q->head));
	out->data[HEAD_VERSION] = PROTOCOL;
	out->data[HEAD_OPCODE] = RESOLVE | ANSWERED;
	out->data[HEAD_STATUS] = answer->status;
	out->len = ACM_HEAD_SIZE;
	/* A failure has no entries. */
	for (i = 0; !answer->status && i < answer->paths; i++)
		add_path(out, &answer->path[i], q);
	if (!answer->status && answer->source.set)
		add_source(out, &answer->source);
	set_length(out, out->len);
}

static void no_bytes(struct acm_reply_bytes *out)
{
	out->len = 0;
}

static void only_close(struct acm_reply_bytes *out)
{
	out->len = 0;
	out->hang_up = true;
}

static void half_header(struct acm_reply_bytes *out)
{
	out->len = ACM_HEAD_SIZE / 2;
	out->hang_up = true;
}

static void cut_reply(struct acm_reply_bytes *out)
{
	out->len = ACM_HEAD_SIZE + (out->len - ACM_HEAD_SIZE) / 2;
	out->hang_up = true;
	set_length(out, out->len + ACM_ITEM_SIZE);
}

static void length_short(struct acm_reply_bytes *out)
{
	set_length(out, out->len - ACM_HEAD_SIZE / 2);
}

static void length_long(struct acm_reply_bytes *out)
{
	set_length(out, out->len + ACM_ITEM_SIZE);
	out->hang_up = true;
}

static void length_huge(struct acm_reply_bytes *out)
{
	set_length(out, UINT16_MAX);
	out->hang_up = true;
}

static void length_zero(struct acm_reply_bytes *out)
{
	set_length(out, 0);
	out->hang_up = true;
}

static void odd(struct acm_reply_bytes *out)
{
	if (out->len > ACM_HEAD_SIZE)
		out->len -= 7;
	set_length(out, out->len);
}

static void too_many(struct acm_reply_bytes *out)
{
	while (add_item(out, 0, ITEM_PATH))
		;
	set_length(out, out->len);
}

static void other_version(struct acm_reply_bytes *out)
{
	out->data[HEAD_VERSION] = PROTOCOL + 1;
}

static void other_opcode(struct acm_reply_bytes *out)
{
	out->data[HEAD_OPCODE] = (RESOLVE + 1) | ANSWERED;
}

static void other_tranid(struct acm_reply_bytes *out)
{
	out->data[HEAD_TRANID] ^= 0xff;
}

static void other_types(struct acm_reply_bytes *out)
{
	uint16_t type = ITEM_UNKNOWN;
	size_t at;

	for (at = ACM_HEAD_SIZE; at < out->len; at += ACM_ITEM_SIZE)
		memcpy(out->data + at + ITEM_TYPE, &type, sizeof(type));
}

static void split_reply(struct acm_reply_bytes *out)
{
	out->split = true;
}

static void (*const spoil[ACM_FAULTS])(struct acm_reply_bytes *out) = {
	[ACM_SILENT] = no_bytes,
	[ACM_CLOSE] = only_close,
	[ACM_HALF_HEADER] = half_header,
	[ACM_CUT] = cut_reply,
	[ACM_LENGTH_SHORT] = length_short,
	[ACM_LENGTH_LONG] = length_long,
	[ACM_LENGTH_HUGE] = length_huge,
	[ACM_LENGTH_ZERO] = length_zero,
	[ACM_ODD] = odd,
	[ACM_TOO_MANY] = too_many,
	[ACM_VERSION] = other_version,
	[ACM_OPCODE] = other_opcode,
	[ACM_TRANID] = other_tranid,
	[ACM_TYPE] = other_types,
	[ACM_SPLIT] = split_reply,
};

void acm_reply_make(struct acm_reply_bytes *out, const struct acm_answer *answer,
		    const struct acm_question *question)
{
	make_honest(out, answer, question);
	if (spoil[answer->fault])
		spoil[answer->fault](out);
}
