/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/mark.h"

uint64_t packet_mark(const uint8_t *bytes, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325ULL ^ len;
	size_t i;

	for (i = 0; i < len && i < MARK_BYTES; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
	return hash >> 1;	/* so that it is an int64_t */
}
