/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_MESSAGE_H
#define VBM_DNS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DNS_MESSAGE_MAX 65535
#define DNS_TEXT_SIZE 1024	/* 255 bytes, at worst each as "\DDD" */

enum dns_type {
	DNS_TYPE_ANY = 0,	/* only in Verbatim: any type */
	DNS_TYPE_A = 1,
	DNS_TYPE_CNAME = 5,
	DNS_TYPE_AAAA = 28,
	DNS_TYPE_ALL = 255,	/* "ANY" in a message */
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

/* A question. */
struct dns_query {
	char name[DNS_TEXT_SIZE];	/* lower case, without a dot at its end; "." is the root */
	unsigned int type, klass;
	size_t end;			/* offset of the question's end in the message */
};

/* False when @msg does not have exactly one question. @msg may hold any bytes. */
bool dns_query_read(const uint8_t *msg, size_t len, struct dns_query *q);

/* Turn the question in @msg into an answer without records. Returns its length. */
size_t dns_answer_rcode(uint8_t *msg, const struct dns_query *q, int rcode);

/* Shorten an answer as a server does with one that is too long. Returns the length. */
size_t dns_answer_truncate(uint8_t *msg, size_t len);

/* "A", "AAAA", ... or "TYPE123". */
void dns_type_text(unsigned int type, char out[16]);

#endif
