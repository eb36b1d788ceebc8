/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/acm-codec.h"

#include <string.h>

#define ACM_VERSION 1
#define OP_RESOLVE 1
#define OP_REPLY 0x80

/* Offsets in the header and in an entry. */
#define AT_VERSION 0
#define AT_OPCODE 1
#define AT_STATUS 2
#define AT_LENGTH 6
#define AT_TRANID 8
#define AT_FLAGS 0
#define AT_TYPE 4
#define AT_INFO 8

#define FLAG_SOURCE 1u
#define FLAG_DEST 2u

enum entry_type {
	TYPE_IP = 2,
	TYPE_IP6 = 3,
	TYPE_PATH = 0x10,
};

_Static_assert(sizeof(struct ibv_path_record) == ACM_ENTRY - AT_INFO, "path record");

static void put_entry(uint8_t *buf, uint16_t *len, uint32_t flags, uint16_t type,
		      const void *info, size_t size)
{
	uint8_t *e = buf + *len;

	memset(e, 0, ACM_ENTRY);
	memcpy(e + AT_FLAGS, &flags, sizeof(flags));
	memcpy(e + AT_TYPE, &type, sizeof(type));
	memcpy(e + AT_INFO, info, size);
	*len = (uint16_t)(*len + ACM_ENTRY);
}

static void put_address(uint8_t *buf, uint16_t *len, uint32_t flags, const union addr *a)
{
	if (!a)
		return;
	if (a->sa.sa_family == AF_INET)
		put_entry(buf, len, flags, TYPE_IP, &a->in.sin_addr, 4);
	else if (a->sa.sa_family == AF_INET6)
		put_entry(buf, len, flags, TYPE_IP6, &a->in6.sin6_addr, 16);
}

/* A request between AF_IB addresses carries both ends as a path. */
static bool gid_path(const struct acm_request *r, struct ibv_path_record *path)
{
	memset(path, 0, sizeof(*path));
	if (!r->dst || r->dst->sa.sa_family != AF_IB)
		return false;
	memcpy(path->dgid.raw, r->dst->ib.sib_addr.sib_raw, 16);
	path->pkey = r->dst->ib.sib_pkey;
	path->service_id = r->dst->ib.sib_sid;
	if (r->src && r->src->sa.sa_family == AF_IB)
		memcpy(path->sgid.raw, r->src->ib.sib_addr.sib_raw, 16);
	return true;
}

size_t vbm_acm_encode(uint8_t buf[ACM_MOST], const struct acm_request *r)
{
	struct ibv_path_record path;
	uint16_t len = ACM_HEADER;

	memset(buf, 0, ACM_HEADER);
	put_address(buf, &len, FLAG_SOURCE, r->src);
	put_address(buf, &len, FLAG_DEST, r->dst);
	if (gid_path(r, &path))
		put_entry(buf, &len, 0, TYPE_PATH, &path, sizeof(path));
	for (size_t i = 0; i < r->paths && len < ACM_MOST; i++)
		put_entry(buf, &len, 0, TYPE_PATH, &r->path[i], sizeof(*r->path));
	buf[AT_VERSION] = ACM_VERSION;
	buf[AT_OPCODE] = OP_RESOLVE;
	memcpy(buf + AT_LENGTH, &len, sizeof(len));
	return len;
}

size_t vbm_acm_length(const uint8_t header[ACM_HEADER])
{
	uint16_t len;

	memcpy(&len, header + AT_LENGTH, sizeof(len));
	if (header[AT_VERSION] != ACM_VERSION || len < ACM_HEADER || len > ACM_MOST ||
	    (len - ACM_HEADER) % ACM_ENTRY)
		return 0;
	return len;
}

static void take_path(struct acm_reply *reply, const uint8_t *e, uint32_t flags)
{
	struct ibv_path_data *d = &reply->path[reply->paths++];

	memset(d, 0, sizeof(*d));
	d->flags = flags;
	memcpy(&d->path, e + AT_INFO, sizeof(d->path));
}

static void take_entry(struct acm_reply *reply, const uint8_t *e)
{
	uint32_t flags, in;
	uint16_t type;

	memcpy(&flags, e + AT_FLAGS, sizeof(flags));
	memcpy(&type, e + AT_TYPE, sizeof(type));
	if (type == TYPE_PATH) {
		take_path(reply, e, flags);
	} else if (type == TYPE_IP && flags & FLAG_SOURCE) {
		memcpy(&in, e + AT_INFO, sizeof(in));
		vbm_addr_set_in(&reply->src, ntohl(in), 0);
	} else if (type == TYPE_IP6 && flags & FLAG_SOURCE) {
		vbm_addr_set_in6(&reply->src, e + AT_INFO, 0);
	}
}

/* This library sends requests with transaction id 0, and a reply repeats the id. */
static bool is_ours(const uint8_t *header)
{
	static const uint8_t tranid[ACM_HEADER - AT_TRANID];

	return !memcmp(header + AT_TRANID, tranid, sizeof(tranid));
}

bool vbm_acm_decode(const uint8_t *buf, size_t len, struct acm_reply *reply)
{
	memset(reply, 0, sizeof(*reply));
	if (len < ACM_HEADER || vbm_acm_length(buf) != len ||
	    (buf[AT_OPCODE] & ~OP_REPLY) != OP_RESOLVE || !is_ours(buf))
		return false;
	reply->status = buf[AT_STATUS];
	if (reply->status)
		return true;
	for (size_t at = ACM_HEADER; at < len; at += ACM_ENTRY)
		take_entry(reply, buf + at);
	return true;
}
