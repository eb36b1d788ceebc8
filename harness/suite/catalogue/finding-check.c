/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/match.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "catalogue/files.h"
#include "catalogue/finding.h"
#include "base/diag.h"
#include "catalogue/source.h"

static void check_symptom(const struct finding_symptom *p, const struct scenario_names *names,
			struct diagnostics *diag)
{
	struct suggestion best;
	size_t i;

	/* It may mean a scenario with errors, which are reported elsewhere. */
	if (!p->scenario || names->some_invalid || scenario_names_match(names, p->scenario))
		return;
	suggest_init(&best, p->scenario);
	for (i = 0; i < names->count; i++)
		suggest_offer(&best, names->item[i].name);
	diag_add(diag, p->scenario_pos, diag_did_you_mean(suggest_best(&best)),
		 "there is no scenario '%s'", p->scenario);
}

static void check_source(const struct finding *d, struct diagnostics *diag)
{
	struct sources s auto_sources = {0};
	struct vbm_error err;

	if (sources_parse(&s, d->source, NULL, &err) < 0)
		diag_add(diag, d->source_pos, NULL, "source: %s", err.msg);
}

void findings_check(const struct findings *d, const struct clauses *clauses,
		    const struct scenario_names *names, struct diagnostics *diag)
{
	const struct finding *f;
	const struct value *id;
	size_t i, n;

	for (n = 0; n < d->count; n++) {
		f = &d->item[n];
		if (!f->clauses && !f->source && clauses->required)
			diag_add(diag, f->pos, NULL, "a finding of this suite needs 'clause:' or "
				 "'source:'");
		for (i = 0; f->clauses && clauses->count && i < f->clauses->list.count; i++) {
			id = f->clauses->list.item[i];
			clauses_check_one(clauses, id->s, id->pos, diag);
		}
		for (i = 0; i < f->symptom_count; i++)
			check_symptom(&f->symptom[i], names, diag);
		finding_check_width(f, names, diag);
		if (f->source)
			check_source(f, diag);
	}
	diagnostics_sort(diag);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_symptom(const struct finding_symptom *a, const struct finding_symptom *b)
{
	return same_text(a->scenario, b->scenario) && same_text(a->complaint, b->complaint) &&
	       same_text(a->field, b->field) && same_text(a->got, b->got) &&
	       same_text(a->step, b->step) && same_text(a->round, b->round);
}

static bool has_condition(const struct finding *d, const struct require *r)
{
	size_t i;

	for (i = 0; i < d->when_count; i++)
		if (d->when[i].capability == r->capability && d->when[i].op == r->op &&
		    !strcmp(d->when[i].value, r->value))
			return true;
	return false;
}

/* Whether both have the same conditions. */
static bool same_when(const struct finding *a, const struct finding *b)
{
	size_t i;

	for (i = 0; i < a->when_count; i++)
		if (!has_condition(b, &a->when[i]))
			return false;
	return a->when_count == b->when_count;
}

static bool has_symptom(const struct finding *d, const struct finding_symptom *p)
{
	size_t i;

	for (i = 0; i < d->symptom_count; i++)
		if (same_symptom(&d->symptom[i], p))
			return true;
	return false;
}

/* Whether @d is of the same kind and project as @other, and all its failures are also @other's. */
static bool is_duplicate(const struct finding *d, const struct finding *other)
{
	size_t i;

	for (i = 0; i < d->symptom_count; i++)
		if (!has_symptom(other, &d->symptom[i]))
			return false;
	return d->symptom_count && d->kind == other->kind && same_text(d->layer, other->layer) &&
	       same_when(d, other);
}

/* @other comes before @d. */
static void check_pair(const struct finding *d, const struct finding *other, bool other_file,
		       struct diagnostics *diag)
{
	if (other_file && d->name && same_text(d->name, other->name))
		diag_add(diag, d->pos, NULL, "another finding is also called '%s' (%s:%d)", d->name,
			 base_of(other->file), other->pos.line);
	else if (is_duplicate(d, other))
		diag_add(diag, d->pos, NULL, "finding '%s' also lists all these failures (%s:%d)",
			 other->name ? other->name : "", base_of(other->file), other->pos.line);
}

static void check_own_symptoms(const struct finding *d, struct diagnostics *diag)
{
	size_t i, k;

	for (i = 0; i < d->symptom_count; i++)
		for (k = 0; k < i; k++)
			if (same_symptom(&d->symptom[i], &d->symptom[k]))
				diag_add(diag, d->symptom[i].pos, NULL, "line %d already lists this failure",
					 d->symptom[k].pos.line);
}

static void check_file(const struct findings *d, const struct findings *others, bool other_file,
		       struct diagnostics *diag)
{
	size_t i, k;

	for (i = 0; i < d->count; i++)
		for (k = 0; k < (other_file ? others->count : i); k++)
			check_pair(&d->item[i], &others->item[k], other_file, diag);
}

static void check_against(const struct findings *d, const char *dir, const char *name,
			  struct diagnostics *diag)
{
	auto_free char *path = xasprintf("%s/%s", dir, name), *text = NULL;
	struct diagnostics ignored auto_diagnostics = {0};
	struct findings others = {0};
	size_t len;

	if (scenario_file_read(path, &text, &len, NULL) == 0)
		findings_parse(&others, path, text, len, &ignored);
	check_file(d, &others, true, diag);
	findings_fini(&others);
}

void findings_check_duplicates(const struct findings *d, const char *path, const char *dir,
			  struct diagnostics *diag)
{
	auto_dir DIR *folder = opendir(dir);
	struct dirent *entry;
	size_t i;

	for (i = 0; i < d->count; i++)
		check_own_symptoms(&d->item[i], diag);
	check_file(d, d, false, diag);
	/* Only files that sort before this one are read, so of two files the later one is reported. */
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && match_name("?*.yaml", entry->d_name) &&
		    strcmp(entry->d_name, base_of(path)) < 0)
			check_against(d, dir, entry->d_name, diag);
	diagnostics_sort(diag);
}
