/* SPDX-License-Identifier: BSD-2-Clause */
#include "runs/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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

static const struct {
	enum change change;
	const char *name;	/* in JSON */
	const char *title;	/* for people */
} parts[] = {
	{CHANGE_WORSE, "worse", "worse"},
	{CHANGE_BETTER, "better", "better"},
	{CHANGE_OTHER, "other", "another verdict"},
	{CHANGE_SLOWER, "slower", "slower"},
	{CHANGE_GONE, "gone", "only in the first run"},
	{CHANGE_NEW, "new", "only in the second run"},
};

static const char *name_of(const struct compare_row *row)
{
	return row->before ? row->before->name : row->after->name;
}

static void show_row(const struct compare_row *row, FILE *f)
{
	fprintf(f, "  %s: ", name_of(row));
	if (row->change == CHANGE_SLOWER)
		fprintf(f, "%" PRId64 " ms, before %" PRId64 " ms\n", row->after->took_ms, row->before->took_ms);
	else if (!row->after)
		fprintf(f, "%s\n", verdict_name(row->before->verdict));
	else
		fprintf(f, "%s, before %s%s%s\n", verdict_name(row->after->verdict),
			row->before ? verdict_name(row->before->verdict) : "not run",
			row->after->reason[0] ? ": " : "", row->after->reason);
}

static void show_part(const struct comparison *c, size_t part, size_t limit, FILE *f)
{
	size_t i, shown = 0, count = c->count[parts[part].change];

	if (count == 0)
		return;
	fprintf(f, "%s: %zu\n", parts[part].title, count);
	for (i = 0; i < c->rows; i++)
		if (c->row[i].change == parts[part].change && (limit == 0 || shown < limit)) {
			show_row(&c->row[i], f);
			shown++;
		}
	if (shown < count)
		fprintf(f, "  and %zu more (--all prints them)\n", count - shown);
}

static void show_findings(const struct comparison *c, bool came, FILE *f)
{
	const char *before = came ? "findings that came: " : "findings that went: ";
	size_t i, n;

	for (i = 0; i < c->findings; i++) {
		n = came ? c->finding[i].after : c->finding[i].before;
		if (n == 0)
			continue;
		fprintf(f, "%s%s (%zu variant%s)", before, c->finding[i].name, n, n == 1 ? "" : "s");
		before = ", ";
	}
	if (before[0] == ',')
		fputs("\n", f);
}

void compare_show(const struct comparison *c, size_t limit, FILE *f)
{
	struct text before auto_text = {0}, after auto_text = {0};
	size_t i;

	stored_place(c->before, &before);
	stored_place(c->after, &after);
	fprintf(f, "first:  %s\nsecond: %s\n", before.s, after.s);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		show_part(c, i, limit, f);
	show_findings(c, true, f);
	show_findings(c, false, f);
	fprintf(f, "the same verdict: %zu\n", c->count[CHANGE_NONE] + c->count[CHANGE_SLOWER]);
}

static struct value *run_json(const struct stored_run *run)
{
	struct text place auto_text = {0};
	struct value *v = value_map();

	stored_place(run, &place);
	value_set_string(v, "place", place.s);
	value_set_int(v, "variants", (int64_t)run->count);
	return v;
}

static void set_side(struct value *row, const char *key, const struct stored_variant *v)
{
	struct value *side = value_map();

	value_set_string(side, "verdict", verdict_name(v->verdict));
	value_set_string(side, "reason", v->reason);
	value_set_int(side, "took_ms", v->took_ms);
	value_set(row, key, side);
}

static struct value *part_json(const struct comparison *c, enum change change)
{
	struct value *list = value_list(), *row;
	size_t i;

	for (i = 0; i < c->rows; i++) {
		if (c->row[i].change != change)
			continue;
		row = value_map();
		value_set_string(row, "name", name_of(&c->row[i]));
		if (c->row[i].before)
			set_side(row, "first", c->row[i].before);
		if (c->row[i].after)
			set_side(row, "second", c->row[i].after);
		value_append(list, row);
	}
	return list;
}

static struct value *findings_json(const struct comparison *c, bool came)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; i < c->findings; i++)
		if (came ? c->finding[i].after : c->finding[i].before)
			value_append(list, value_string(c->finding[i].name));
	return list;
}

struct value *compare_json(const struct comparison *c)
{
	struct value *v = value_map();
	size_t i;

	value_set(v, "first", run_json(c->before));
	value_set(v, "second", run_json(c->after));
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		value_set(v, parts[i].name, part_json(c, parts[i].change));
	value_set(v, "findings_came", findings_json(c, true));
	value_set(v, "findings_went", findings_json(c, false));
	value_set_int(v, "same", (int64_t)(c->count[CHANGE_NONE] + c->count[CHANGE_SLOWER]));
	return v;
}
