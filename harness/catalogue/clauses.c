/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/clauses.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fail.h"
#include "base/diag.h"

static const struct {
	const char *name;
	size_t at;
} columns[] = {
	{"id", offsetof(struct clause, id)},
	{"area", offsetof(struct clause, area)},
	{"source", offsetof(struct clause, source)},
	{"statement", offsetof(struct clause, statement)},
	{"observe", offsetof(struct clause, observe)},
	{"reachability", offsetof(struct clause, reachability)},
	{"decision", offsetof(struct clause, decision)},
};

/* Cuts @line at its tabs; false when it has too few or too many cells. */
static bool split(char *line, struct clause *out)
{
	size_t i;
	char *cell;

	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		cell = strsep(&line, "\t");
		if (!cell)
			return false;
		*(const char **)(void *)((char *)out + columns[i].at) = cell;
	}
	return !line && *out->id;
}

static bool is_header(const struct clause *c)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (strcmp(*(const char *const *)(const void *)((const char *)c + columns[i].at),
			   columns[i].name))
			return false;
	return true;
}

int clauses_parse(struct clauses *out, char *text, struct vbm_error *err)
{
	struct clause c;
	char *rest = text, *line;
	int n = 0, ret = 0;

	*out = (struct clauses){.text = text};
	while (ret == 0 && (line = strsep(&rest, "\n"))) {
		n++;
		if (!*line)
			continue;
		if (!split(line, &c) || (n == 1 && !is_header(&c))) {
			ret = vbm_fail(err, EINVAL, "clauses.tsv:%d: not a line of %zu cells "
				       "below the header", n, ARRAY_SIZE(columns));
		} else if (n > 1 && clause_find(out, c.id)) {
			ret = vbm_fail(err, EINVAL, "clauses.tsv:%d: the clause %s is there twice",
				       n, c.id);
		} else if (n > 1) {
			GROW(out->item, out->count);
			out->item[out->count++] = c;
		}
	}
	if (ret)
		clauses_fini(out);
	return ret;
}

int clauses_load(struct clauses *out, const char *dir, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/clauses.tsv", dir), *text = NULL;
	struct vbm_error why;

	*out = (struct clauses){0};
	text = text_of_file(path, &why);
	if (!text)
		return vbm_fail(err, why.code, "%s", why.msg);
	return clauses_parse(out, steal(&text), err);
}

void clauses_fini(struct clauses *clauses)
{
	free(clauses->item);
	free(clauses->text);
	*clauses = (struct clauses){0};
}

const struct clause *clause_find(const struct clauses *clauses, const char *id)
{
	size_t i;

	for (i = 0; i < clauses->count; i++)
		if (strcmp(clauses->item[i].id, id) == 0)
			return &clauses->item[i];
	return NULL;
}

void clauses_check_one(const struct clauses *clauses, const char *id, struct pos pos,
		       struct diagnostics *diag)
{
	struct suggestion best;
	size_t i;

	if (clause_find(clauses, id))
		return;
	suggest_init(&best, id);
	for (i = 0; i < clauses->count; i++)
		suggest_offer(&best, clauses->item[i].id);
	diag_add(diag, pos, diag_did_you_mean(suggest_best(&best)),
		 "clauses.tsv has no clause '%s'", id);
}

void clauses_check(const struct clauses *clauses, const struct scenario *s,
		   struct diagnostics *diag)
{
	size_t i;

	for (i = 0; i < s->clause_count; i++)
		clauses_check_one(clauses, s->clauses[i], s->clause_pos[i], diag);
}
