/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: acm/message.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "acm/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A client may send any bytes. The answer to a valid request stays within its bounds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct acm_answer answer = {.source = {.set = true}, .paths = ACM_ITEMS - 1};
	struct acm_reply_bytes out;
	struct acm_question q;
	char text[ACM_TEXT];
	uint8_t *msg = malloc(size ? size : 1);
	enum acm_fault f;

	if (!msg)
		return 0;
	memcpy(msg, data, size);
	if (acm_question_read(&q, msg, size)) {
		if (size > ACM_REQUEST_MAX || q.paths > ACM_ITEMS)
			abort();
		acm_address_write(&q.src, text);
		acm_address_write(&q.dst, text);
		for (f = ACM_HONEST; f < ACM_FAULTS; f++) {
			answer.fault = f;
			acm_reply_make(&out, &answer, &q);
			if (out.len > sizeof(out.data))
				abort();
		}
	}
	free(msg);
	return 0;
}
