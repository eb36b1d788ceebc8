/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: dns/message.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dns/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A question that was accepted ends within the message, and so does any answer to it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dns_query q, again;
	uint8_t *msg;
	size_t len;

	if (size > DNS_MESSAGE_MAX)
		return 0;
	msg = malloc(size ? size : 1);
	if (!msg)
		return 0;
	memcpy(msg, data, size);
	if (dns_answer_truncate(msg, size) > size)
		abort();
	memcpy(msg, data, size);
	if (dns_query_read(msg, size, &q)) {
		if (q.end > size || strlen(q.name) >= sizeof(q.name) || !*q.name)
			abort();
		len = dns_answer_rcode(msg, &q, RCODE_SERVFAIL);
		if (len != q.end || dns_query_read(msg, len, &again))
			abort();
	}
	free(msg);
	return 0;
}
