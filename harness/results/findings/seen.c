/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings/list.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/* ---- the file ---- */

static bool are_cells(const struct value *list, const struct value *cells)
{
	size_t i;

	if (!list || list->type != VALUE_LIST)
		return false;
	for (i = 0; i < list->list.count; i++)
		if (list->list.item[i]->type != VALUE_INT || list->list.item[i]->i < 1 ||
		    list->list.item[i]->i > (int64_t)cells->list.count)
			return false;
	return true;
}

/* Cells come before findings, in the order of their numbers. */
static const char *take_line(struct value *seen, const struct value *line)
{
	struct value *cells = value_get(seen, "cells"), *findings = value_get(seen, "findings");
	const char *name = value_get_string(line, "finding", NULL);

	if (value_get(line, "matrix"))
		return NULL;
	if (value_get(line, "cell")) {
		if (value_get_int(line, "cell", 0) != (int64_t)cells->list.count + 1)
			return "the cells are not numbered from 1 on";
		if (!value_get_string(line, "kernel", NULL) || !value_get_string(line, "rdma_core", NULL))
			return "a cell has no 'kernel' or no 'rdma_core'";
		value_append(cells, value_dup(line));
		return NULL;
	}
	if (!name)
		return "neither a cell nor a finding";
	if (!are_cells(value_get(line, "in"), cells) || !are_cells(value_get(line, "not_in"), cells))
		return "'in' and 'not_in' are lists of numbers of cells";
	value_set(findings, name, value_dup(line));
	return NULL;
}

static int take_text(struct value *seen, char *text, const char *path, struct vbm_error *err)
{
	char *pos = text, *line;
	const char *why;
	int number = 0;

	while ((line = file_next_line(&pos))) {
		auto_value struct value *v = NULL;
		struct vbm_error bad = {0};

		number++;
		v = json_read(line, strlen(line), &bad);
		why = v ? take_line(seen, v) : bad.msg;
		if (why)
			return vbm_fail(err, EINVAL, "%s:%d: %s; make it anew: verbatim matrix --record", path, number, why);
	}
	return 0;
}

struct value *findings_seen_load(const char *dir, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/findings/" FINDINGS_SEEN_FILE, dir), *text = NULL;
	struct value *seen;

	*err = (struct vbm_error){0};
	text = text_of_file(path, NULL);
	if (!text)
		return NULL;
	seen = value_map();
	value_set(seen, "cells", value_list());
	value_set(seen, "findings", value_map());
	if (take_text(seen, text, path, err) == 0)
		return seen;
	value_free(seen);
	return NULL;
}

/* ---- the text ---- */

/* The facts that may decide whether a cell has a finding. Of a version the first two numbers count. */
static const struct {
	const char *member, *name;
	int numbers;
} facts[] = {
	{"kernel", "kernel", 2}, {"rdma_core", "rdma-core", 1}, {"layout", "layout", 0}, {"target", "target", 0},
	{"device", "device", 0},
};

static char *short_fact(const struct value *cell, size_t fact)
{
	const char *text = value_get_string(cell, facts[fact].member, "?");
	size_t len = 0;
	int i;

	for (i = 0; i < facts[fact].numbers; i++) {
		len += i ? 1 : 0;
		len += strspn(text + len, "0123456789");
		if (text[len] != '.')
			break;
	}
	return facts[fact].numbers ? xstrndup(text, len) : xstrdup(text);
}

/* The facts of the cells with the numbers of @list, each once. */
static struct string_list facts_of(const struct value *seen, const struct value *list, size_t fact)
{
	const struct value *cells = value_get(seen, "cells");
	struct string_list out = {0};
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		auto_free char *text = short_fact(cells->list.item[list->list.item[i]->i - 1], fact);

		string_list_add(&out, text);
	}
	return out;
}

static bool have_common(const struct string_list *a, const struct string_list *b)
{
	size_t i, k;

	for (i = 0; i < a->count; i++)
		for (k = 0; k < b->count; k++)
			if (!strcmp(a->item[i], b->item[k]))
				return true;
	return false;
}

static void add_names(struct text *t, const struct string_list *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		text_addf(t, "%s%s", i ? ", " : "", names->item[i]);
}

/* Whether the fact alone tells the cells that have the finding from those that do not. */
static bool put_by_fact(struct text *t, const struct value *seen, const struct value *in, const struct value *out,
			size_t fact)
{
	auto_string_list struct string_list has = facts_of(seen, in, fact), lacks = facts_of(seen, out, fact);

	if (have_common(&has, &lacks))
		return false;
	text_addf(t, "on %s ", facts[fact].name);
	add_names(t, &has);
	text_add(t, "; not on ");
	add_names(t, &lacks);
	return true;
}

static void put_everywhere(struct text *t, const struct value *seen, const struct value *list)
{
	auto_string_list struct string_list kernels = facts_of(seen, list, 0), cores = facts_of(seen, list, 1);

	text_add(t, "on kernel ");
	add_names(t, &kernels);
	text_add(t, ", rdma-core ");
	add_names(t, &cores);
}

static void put_cells(struct text *t, const struct value *seen, const struct value *list)
{
	const struct value *cells = value_get(seen, "cells");
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		const struct value *cell = cells->list.item[list->list.item[i]->i - 1];
		auto_free char *kernel = short_fact(cell, 0), *core = short_fact(cell, 1);

		text_addf(t, "%s%s with %s", i ? ", " : "", kernel, core);
	}
}

static char *text_of(const struct value *seen, const struct value *line)
{
	const struct value *in = value_get(line, "in"), *out = value_get(line, "not_in");
	struct text t = {0};
	size_t i;

	if (!in->list.count && !out->list.count)
		return NULL;
	if (!out->list.count) {
		put_everywhere(&t, seen, in);
		return t.s;
	}
	if (!in->list.count) {
		text_add(&t, "not ");
		put_everywhere(&t, seen, out);
		return t.s;
	}
	for (i = 0; i < ARRAY_SIZE(facts); i++)
		if (put_by_fact(&t, seen, in, out, i))
			return t.s;
	text_add(&t, "on kernel ");
	put_cells(&t, seen, in);
	text_add(&t, "; not on ");
	put_cells(&t, seen, out);
	return t.s;
}

void findings_seen_add(const struct value *seen, struct value *list)
{
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		struct value *finding = list->list.item[i];
		const struct value *line = value_get(value_get(seen, "findings"), value_get_string(finding, "name", ""));
		char *text = line ? text_of(seen, line) : NULL;

		if (text)
			value_set(finding, "seen", value_string_take(text));
	}
}
