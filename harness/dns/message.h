/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_MESSAGE_H
#define VBM_DNS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DNS_MESSAGE_MAX 65535
#define DNS_TEXT_SIZE 1024	/* 255 bytes, each at worst as "\DDD" */

enum dns_type {
	DNS_TYPE_ANY = 0,	/* here: whatever was asked for */
	DNS_TYPE_A = 1,
	DNS_TYPE_CNAME = 5,
	DNS_TYPE_AAAA = 28,
	DNS_TYPE_ALL = 255,	/* "ANY" on the wire */
};

enum rcode {
	RCODE_NOERROR = 0,
	RCODE_FORMERR = 1,
	RCODE_SERVFAIL = 2,
	RCODE_NXDOMAIN = 3,
	RCODE_NOTIMP = 4,
	RCODE_REFUSED = 5,
	RCODE_MAX = 15,
};

/* A question, as it came. */
struct dns_query {
	char name[DNS_TEXT_SIZE];	/* lower case, no dot at its end; "." is the root */
	unsigned int type, klass;
	size_t end;			/* of the question in the message */
};

/* False when @msg does not ask exactly one question. Any bytes will do. */
bool dns_query_read(const uint8_t *msg, size_t len, struct dns_query *q);

/* Make the question in @msg an answer without records; returns its length. */
size_t dns_answer_rcode(uint8_t *msg, const struct dns_query *q, int rcode);

/* Shorten an answer as a server does when it does not fit; returns the length. */
size_t dns_answer_truncate(uint8_t *msg, size_t len);

/* "A", "AAAA", ... or "TYPE123". */
void dns_type_text(unsigned int type, char out[16]);

#endif
