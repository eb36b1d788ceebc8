/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/dns-reply.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define HEADER 12
#define HOPS_MOST 16
#define JUMPS_MOST 32
#define CLASS_IN 1

enum record_type {
	RECORD_A = 1,
	RECORD_CNAME = 5,
	RECORD_AAAA = 28,
};

struct dns_reply_reader {
	const uint8_t *msg;
	size_t len, at;
};

struct dns_reply_record {
	char owner[DNS_NAME_ROOM];
	unsigned int type, class;
	size_t data, size;	/* the offset and size of its data in the message */
};

static bool get16(struct dns_reply_reader *r, unsigned int *v)
{
	if (r->len - r->at < 2)
		return false;
	*v = (unsigned int)r->msg[r->at] << 8 | r->msg[r->at + 1];
	r->at += 2;
	return true;
}

static bool add_label(char name[DNS_NAME_ROOM], size_t *used, const uint8_t *label, size_t n)
{
	if (*used + n + 1 >= DNS_NAME_ROOM)
		return false;
	if (*used)
		name[(*used)++] = '.';
	for (size_t i = 0; i < n; i++) {
		if (label[i] <= ' ' || label[i] >= 0x7f || label[i] == '.')
			return false;
		name[(*used)++] = (char)label[i];
	}
	return true;
}

/* Read a name. Its rest may lie elsewhere in the message; @r moves behind its first part. */
static bool get_name(struct dns_reply_reader *r, char name[DNS_NAME_ROOM])
{
	size_t at = r->at, used = 0;
	int jumps = 0;

	while (at < r->len && r->msg[at]) {
		unsigned int n = r->msg[at];

		if (n >= 0xc0) {
			if (at + 1 >= r->len || ++jumps > JUMPS_MOST)
				return false;
			if (jumps == 1)
				r->at = at + 2;
			at = (n & 0x3fu) << 8 | r->msg[at + 1];
			continue;
		}
		if (n > 63 || r->len - at <= n || !add_label(name, &used, r->msg + at + 1, n))
			return false;
		at += n + 1;
	}
	if (at >= r->len)
		return false;
	if (!jumps)
		r->at = at + 1;
	name[used] = '\0';
	return true;
}

static bool get_record(struct dns_reply_reader *r, struct dns_reply_record *rec)
{
	unsigned int size;

	if (!get_name(r, rec->owner) || !get16(r, &rec->type) || !get16(r, &rec->class))
		return false;
	if (r->len - r->at < 4)
		return false;
	r->at += 4;	/* time to live */
	if (!get16(r, &size) || r->len - r->at < size)
		return false;
	rec->data = r->at;
	rec->size = size;
	r->at += size;
	return true;
}

/* Follow an alias of @name: 1 with @name replaced, 0 when it has no alias. */
static int follow(struct dns_reply_reader r, unsigned int answers, char name[DNS_NAME_ROOM])
{
	struct dns_reply_record rec;

	while (answers--) {
		struct dns_reply_reader data = r;

		if (!get_record(&r, &rec))
			return -EBADMSG;
		if (rec.type != RECORD_CNAME || strcasecmp(rec.owner, name))
			continue;
		data.at = rec.data;
		return get_name(&data, name) ? 1 : -EBADMSG;
	}
	return 0;
}

static int collect_addresses(struct dns_reply_reader r, unsigned int answers, const char *name,
			     int family, struct addr_list *addrs)
{
	unsigned int type = family == AF_INET ? RECORD_A : RECORD_AAAA;
	size_t size = family == AF_INET ? 4 : 16;
	struct dns_reply_record rec;

	while (answers--) {
		union addr a;
		uint32_t in;

		if (!get_record(&r, &rec))
			return -EBADMSG;
		if (rec.type != type || rec.class != CLASS_IN || rec.size != size ||
		    strcasecmp(rec.owner, name))
			continue;
		if (family == AF_INET) {
			memcpy(&in, r.msg + rec.data, sizeof(in));
			vbm_addr_set_in(&a, ntohl(in), 0);
		} else {
			vbm_addr_set_in6(&a, r.msg + rec.data, 0);
		}
		if (vbm_addr_list_add(addrs, &a))
			return -ENOMEM;
	}
	return addrs->count > 0;
}

int vbm_dns_reply_read(const uint8_t *msg, size_t len, int family,
		       struct addr_list *addrs, char canon[DNS_NAME_ROOM])
{
	struct dns_reply_reader r = {.msg = msg, .len = len, .at = 4};
	unsigned int questions, answers, skipped;
	int hop = 1;

	if (len < HEADER || !get16(&r, &questions) || !get16(&r, &answers) || questions != 1)
		return -EBADMSG;
	r.at = HEADER;
	if (!get_name(&r, canon) || !get16(&r, &skipped) || !get16(&r, &skipped))
		return -EBADMSG;
	for (int hops = 0; hop == 1; hops++) {
		if (hops > HOPS_MOST)
			return -EBADMSG;
		hop = follow(r, answers, canon);
	}
	return hop < 0 ? hop : collect_addresses(r, answers, canon, family, addrs);
}
