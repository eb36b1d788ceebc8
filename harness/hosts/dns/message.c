/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/message.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"

#define HEADER 12
#define LABEL_MAX 63
#define WIRE_NAME_MAX 255

/* Bits of the third and fourth byte of a message. */
#define QR 0x80
#define OPCODE 0x78
#define TC 0x02
#define RD 0x01
#define RA 0x80

static unsigned int get16(const uint8_t *p)
{
	return (unsigned int)p[0] << 8 | p[1];
}

/* A byte that is not a letter, digit, - or _ becomes \DDD with its number. */
static void add_byte(char *name, size_t *used, uint8_t byte)
{
	if (isalnum(byte) || byte == '-' || byte == '_')
		name[(*used)++] = (char)tolower(byte);
	else
		*used += (size_t)sprintf(name + *used, "\\%03u", byte);
}

/*
 * The number of bytes of the name at @at, or 0. The name of a question must not have
 * compression pointers.
 */
static size_t read_name(const uint8_t *msg, size_t len, size_t at, char *name)
{
	size_t start = at, used = 0, i;

	while (at < len && msg[at]) {
		if (msg[at] > LABEL_MAX || at + msg[at] + 1u - start >= WIRE_NAME_MAX ||
		    msg[at] >= len - at)
			return 0;
		if (used)
			name[used++] = '.';
		for (i = 1; i <= msg[at]; i++)
			add_byte(name, &used, msg[at + i]);
		at += msg[at] + 1u;
	}
	if (at >= len)
		return 0;
	if (!used)
		name[used++] = '.';
	name[used] = '\0';
	return at + 1 - start;
}

bool dns_query_read(const uint8_t *msg, size_t len, struct dns_query *q)
{
	size_t n;

	if (len < HEADER || (msg[2] & (QR | OPCODE)) || get16(msg + 4) != 1)
		return false;
	n = read_name(msg, len, HEADER, q->name);
	if (!n || len - HEADER - n < 4)
		return false;
	q->type = get16(msg + HEADER + n);
	q->klass = get16(msg + HEADER + n + 2);
	q->end = HEADER + n + 4;
	return true;
}

size_t dns_answer_rcode(uint8_t *msg, const struct dns_query *q, int rcode)
{
	msg[2] = (uint8_t)(QR | (msg[2] & RD));
	msg[3] = (uint8_t)(RA | (rcode & 0xf));
	memset(msg + 6, 0, 6);
	return q->end;
}

size_t dns_answer_truncate(uint8_t *msg, size_t len)
{
	struct dns_query q;
	uint8_t flags;
	bool ok;

	if (len < HEADER)
		return len;
	flags = msg[2];
	msg[2] &= (uint8_t)~(QR | OPCODE);
	ok = dns_query_read(msg, len, &q);
	msg[2] = flags;
	if (!ok)
		return len;
	msg[2] |= TC;
	memset(msg + 6, 0, 6);
	return q.end;
}

void dns_type_text(unsigned int type, char out[16])
{
	static const struct {
		unsigned int type;
		const char *name;
	} names[] = {
		{DNS_TYPE_A, "A"}, {2, "NS"}, {DNS_TYPE_CNAME, "CNAME"}, {6, "SOA"}, {12, "PTR"}, {15, "MX"},
		{16, "TXT"}, {DNS_TYPE_AAAA, "AAAA"}, {33, "SRV"}, {65, "HTTPS"}, {DNS_TYPE_ALL, "ANY"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].type == type) {
			snprintf(out, 16, "%s", names[i].name);
			return;
		}
	snprintf(out, 16, "TYPE%u", type & 0xffff);
}
