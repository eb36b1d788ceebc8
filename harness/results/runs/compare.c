/* SPDX-License-Identifier: BSD-2-Clause */
#include "runs/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"

static enum change change_of(const struct stored_variant *before, const struct stored_variant *after)
{
	bool was = before && verdict_is_expected(before->verdict);
	bool is = after && verdict_is_expected(after->verdict);

	if (!after)
		return CHANGE_GONE;
	if (!before)
		return is ? CHANGE_NEW : CHANGE_WORSE;
	if (before->verdict == after->verdict)
		return stored_is_slower(before->took_ms, after->took_ms) ? CHANGE_SLOWER : CHANGE_NONE;
	if ((was && !is) || before->verdict == VERDICT_PASS)
		return CHANGE_WORSE;
	if ((!was && is) || after->verdict == VERDICT_PASS)
		return CHANGE_BETTER;
	return CHANGE_OTHER;
}

static void add_row(struct comparison *c, const struct stored_variant *before, const struct stored_variant *after)
{
	enum change change = change_of(before, after);

	GROW(c->row, c->rows);
	c->row[c->rows++] = (struct compare_row){before, after, change};
	c->count[change]++;
}

static void add_rows(struct comparison *c)
{
	const struct stored_variant **a = c->before->by_name, **b = c->after->by_name;
	size_t i = 0, j = 0;
	int order;

	while (i < c->before->count || j < c->after->count) {
		order = i == c->before->count ? 1 : j == c->after->count ? -1 : strcmp(a[i]->name, b[j]->name);
		add_row(c, order <= 0 ? a[i] : NULL, order >= 0 ? b[j] : NULL);
		i += order <= 0;
		j += order >= 0;
	}
}

static struct compare_finding *finding_of(struct comparison *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->findings; i++)
		if (strcmp(c->finding[i].name, name) == 0)
			return &c->finding[i];
	GROW(c->finding, c->findings);
	c->finding[c->findings] = (struct compare_finding){.name = name};
	return &c->finding[c->findings++];
}

static void count_findings(struct comparison *c, const struct stored_run *run, bool after)
{
	const struct value *list;
	struct compare_finding *f;
	size_t i, j;

	for (i = 0; i < run->count; i++) {
		list = run->item[i].findings;
		for (j = 0; list && j < list->list.count; j++) {
			f = finding_of(c, list->list.item[j]->s);
			f->before += !after;
			f->after += after;
		}
	}
}

/* Keeps the findings that only one of the runs has. */
static void drop_common(struct comparison *c)
{
	size_t i, kept = 0;

	for (i = 0; i < c->findings; i++)
		if (!c->finding[i].before || !c->finding[i].after)
			c->finding[kept++] = c->finding[i];
	c->findings = kept;
}

void compare_runs(struct comparison *out, const struct stored_run *before, const struct stored_run *after)
{
	*out = (struct comparison){.before = before, .after = after};
	add_rows(out);
	count_findings(out, before, false);
	count_findings(out, after, true);
	drop_common(out);
}

void compare_fini(struct comparison *c)
{
	free(c->row);
	free(c->finding);
	*c = (struct comparison){0};
}

bool compare_is_worse(const struct comparison *c)
{
	return c->count[CHANGE_WORSE] > 0;
}
