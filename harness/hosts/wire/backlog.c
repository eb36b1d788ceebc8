/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/backlog.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void backlog_add(struct backlog *b, uint64_t ns, size_t len)
{
	if (b->count == b->room) {
		b->room = b->room ? 2 * b->room : 256;
		b->entry = xreallocarray(b->entry, b->room, sizeof(*b->entry));
	}
	b->oldest_ns = b->count && b->oldest_ns < ns ? b->oldest_ns : ns;
	b->entry[b->count++] = (struct backlog_entry){ns, b->number++, len, b->bytes.len - len};
}

static int by_time(const void *p, const void *q)
{
	const struct backlog_entry *a = p, *b = q;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The remaining bytes move to the front, so that the buffer does not grow for ever. */
static void keep_rest(struct backlog *b, size_t taken)
{
	struct text rest = {0};
	size_t i;

	for (i = taken; i < b->count; i++) {
		struct backlog_entry *e = &b->entry[i];

		text_add_bytes(&rest, b->bytes.s + e->at, e->len);
		e->at = rest.len - e->len;
	}
	text_fini(&b->bytes);
	b->bytes = rest;
	b->count -= taken;
	memmove(b->entry, b->entry + taken, b->count * sizeof(*b->entry));
	b->oldest_ns = b->count ? b->entry[0].ns : UINT64_MAX;
}

void backlog_take(struct backlog *b, uint64_t ns, struct text *out)
{
	size_t i;

	if (!b->count || b->oldest_ns > ns)
		return;
	qsort(b->entry, b->count, sizeof(*b->entry), by_time);
	for (i = 0; i < b->count && b->entry[i].ns <= ns; i++)
		text_add_bytes(out, b->bytes.s + b->entry[i].at, b->entry[i].len);
	keep_rest(b, i);
}

void backlog_fini(struct backlog *b)
{
	text_fini(&b->bytes);
	free(b->entry);
	*b = (struct backlog){0};
}
