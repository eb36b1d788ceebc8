/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/getaddrinfo.c lib/base/addr.c */
/* The input is a byte of flags, a node up to the end of the line, and a service. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numeric.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text, *end, said[2048];

	if (!size)
		return 0;
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	end = strchr(text, '\n');
	if (end)
		*end = '\0';
	if (!numeric_agrees(text, end ? end + 1 : "", data[0], said, sizeof(said))) {
		fprintf(stderr, "%s\n", said);
		abort();
	}
	free(text);
	return 0;
}
