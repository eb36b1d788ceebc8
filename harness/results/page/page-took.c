/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"

struct page_took *page_took_make(const struct stored_run *run, size_t *count)
{
	struct page_took *took = xcalloc(run->count + 1, sizeof(*took));
	size_t i;

	for (i = 0; i < run->count; i++)
		took[i] = (struct page_took){xstrdup(run->by_name[i]->name), run->by_name[i]->took_ms,
					     run->by_name[i]->verdict};
	*count = run->count;
	return took;
}

static int by_name(const void *a, const void *b)
{
	const struct page_took *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void page_took_compare(const struct page_took *took, size_t count, struct value *row)
{
	char *name = value_get(row, "name")->s;
	const struct page_took key = {.name = name};
	const struct page_took *before = took ? bsearch(&key, took, count, sizeof(*took), by_name) : NULL;

	/* Compare times only if the verdict is the same: a variant that was skipped took no time. */
	if (before && strcmp(verdict_name(before->verdict), value_get_string(row, "verdict", "")) == 0 &&
	    stored_is_slower(before->ms, value_get_int(row, "took_ms", -1)))
		value_set_int(row, "before_ms", before->ms);
}

void page_took_free(struct page_took *took, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(took[i].name);
	free(took);
}
