/* SPDX-License-Identifier: BSD-2-Clause */
#include "decode/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Helpers for all formats of captures. */

void records_forget_interfaces(struct records *r)
{
	size_t i;

	for (i = 0; i < r->interfaces; i++) {
		free(r->interface[i].name);
		free(r->interface[i].description);
	}
	free(r->interface);
	r->interface = NULL;
	r->interfaces = 0;
}

struct record_interface *records_add_interface(struct records *r, int64_t link)
{
	GROW(r->interface, r->interfaces);
	r->interface[r->interfaces] = (struct record_interface){
		.name = xstrdup(""), .description = xstrdup(""), .link = link, .per_second = 1000000,
	};
	return &r->interface[r->interfaces++];
}

uint16_t records_u16(const struct records *r, size_t at)
{
	uint16_t n;

	memcpy(&n, r->data + at, sizeof(n));
	return r->swapped ? __builtin_bswap16(n) : n;
}

uint32_t records_u32(const struct records *r, size_t at)
{
	uint32_t n;

	memcpy(&n, r->data + at, sizeof(n));
	return r->swapped ? __builtin_bswap32(n) : n;
}

/* The rest is less than a second, so it fits after it was made smaller. */
uint64_t records_ns(const struct record_interface *i, uint64_t units)
{
	uint64_t s = units / i->per_second + (uint64_t)i->offset_s, rest = units % i->per_second;
	uint64_t per_second = i->per_second;

	while (per_second > NS_PER_S) {
		per_second /= 2;
		rest /= 2;
	}
	return s * NS_PER_S + rest * NS_PER_S / per_second;
}
