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
#include "base/diag.h"
#include "catalogue/source.h"
#include "catalogue/suite.h"
#include "lib/base/fail.h"

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

/* Splits @line at its tabs. Returns false when the number of cells is wrong. */
static bool split_cells(char *line, struct clause *out)
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
		if (!split_cells(line, &c) || (n == 1 && !is_header(&c))) {
			ret = vbm_fail(err, EINVAL, "clauses.tsv:%d: the line does not have %zu cells "
				       "like the header", n, ARRAY_SIZE(columns));
		} else if (n > 1 && clause_find(out, c.id)) {
			ret = vbm_fail(err, EINVAL, "clauses.tsv:%d: the clause %s is there twice",
				       n, c.id);
		} else if (n > 1) {
			c.line = n;
			GROW(out->item, out->count);
			out->item[out->count++] = c;
		}
	}
	out->own = out->count;
	if (ret)
		clauses_fini(out);
	return ret;
}

static int load_file(struct clauses *out, const char *dir, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/" SUITE_CLAUSES, dir), *text = NULL;
	struct vbm_error why;

	*out = (struct clauses){0};
	text = text_of_file(path, &why);
	if (!text)
		return vbm_fail(err, why.code, "%s", why.msg);
	if (clauses_parse(out, steal(&text), &why) < 0)
		return vbm_fail(err, why.code, "%s/%s", dir, why.msg);
	return 0;
}

/* Moves the clauses that @out lacks, with their text, from @from to @out. */
static void borrow(struct clauses *out, struct clauses *from)
{
	size_t i;

	for (i = 0; i < from->count; i++) {
		if (clause_find(out, from->item[i].id))
			continue;
		GROW(out->item, out->count);
		out->item[out->count++] = from->item[i];
	}
	out->shipped_text = steal(&from->text);
	clauses_fini(from);
}

int clauses_load(struct clauses *out, const char *root, struct vbm_error *err)
{
	auto_free char *shipped = NULL;
	struct clauses others;
	struct vbm_error why = {0};

	if (load_file(out, root, &why) < 0 && why.code != ENOENT)
		return vbm_fail(err, why.code, "%s", why.msg);
	if (suite_shipped(&shipped, NULL) < 0)
		return out->count ? 0 : vbm_fail(err, why.code, "%s", why.msg);
	out->required = suite_same_file(root, shipped);
	if (out->required)
		return out->text ? 0 : vbm_fail(err, why.code, "%s", why.msg);
	if (load_file(&others, shipped, err) < 0) {
		clauses_fini(out);
		return -err->code;
	}
	borrow(out, &others);
	if (!out->text)
		out->own = out->count;
	return 0;
}

void clauses_fini(struct clauses *clauses)
{
	free(clauses->item);
	free(clauses->text);
	free(clauses->shipped_text);
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
		 "there is no clause '%s'", id);
}

void clauses_check(const struct clauses *clauses, const struct scenario *s,
		   struct diagnostics *diag)
{
	static const struct pos top = {1, 1};
	size_t i;

	if (clauses->required && !s->clause_count)
		diag_add(diag, top, xstrdup("verbatim list --clauses lists them all"),
			 "a scenario of this suite must name the clause that it proves");
	for (i = 0; i < s->clause_count; i++)
		clauses_check_one(clauses, s->clauses[i], s->clause_pos[i], diag);
}

void clauses_check_sources(const struct clauses *clauses, struct diagnostics *diag)
{
	const struct clause *c;
	struct vbm_error err;
	struct sources s;
	size_t i, column;
	struct pos pos;

	for (i = 0; i < clauses->own; i++) {
		c = &clauses->item[i];
		if (sources_parse(&s, c->source, &column, &err) < 0) {
			pos = (struct pos){c->line, (int)(c->source - c->id) + (int)column};
			diag_add(diag, pos, NULL, "source of %s: %s", c->id, err.msg);
		}
		sources_fini(&s);
	}
}
