/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fail.h"
#include "catalogue/files.h"
#include "catalogue/suite.h"

static int load_one(struct survey *out, const struct scenario_file *file, struct text *problems,
		    struct vbm_error *err)
{
	struct diagnostics diag = {0};
	struct surveyed item = {0};
	int rc = scenario_load(&item.scenario, file, &diag, err);

	if (rc == 0) {
		clauses_check(&out->clauses, item.scenario, &diag);
		scenario_variants(item.scenario, &item.variants);
		GROW(out->item, out->count);
		out->item[out->count++] = item;
	}
	if (diag.count) {
		auto_free char *lines = diagnostics_format(&diag, file->path);

		text_add(problems, lines);
		rc = vbm_fail(err, EINVAL, "%s is not a valid scenario", file->path);
	}
	diagnostics_fini(&diag);
	return rc;
}

static int load_scenarios(struct survey *out, struct text *problems, struct vbm_error *err)
{
	struct scenario_files files;
	int rc = scenario_files_find(&files, &out->dir, 1, err), one;
	size_t i;

	if (rc < 0)
		return rc;
	for (i = 0; i < files.count; i++) {
		one = load_one(out, &files.item[i], problems, err);
		rc = rc ? rc : one;
	}
	scenario_files_fini(&files);
	return rc;
}

int survey_load(struct survey *out, const char *dir, struct text *problems,
		struct vbm_error *err)
{
	auto_free char *known = NULL;
	int rc = 0;

	*out = (struct survey){.dir = dir ? xstrdup(dir) : NULL};
	if (!dir)
		rc = suite_default(&out->dir, err);
	if (rc == 0)
		rc = clauses_load(&out->clauses, out->dir, err);
	if (rc == 0)
		rc = notes_load(&out->notes, out->dir, err);
	if (rc == 0) {
		known = xasprintf("%s/deviations", out->dir);
		rc = deviations_load(&out->deviations, known, err);
	}
	if (rc == 0)
		rc = load_scenarios(out, problems, err);
	if (rc < 0)
		survey_fini(out);
	return rc;
}

void survey_fini(struct survey *s)
{
	size_t i;

	for (i = 0; i < s->count; i++) {
		variants_fini(&s->item[i].variants);
		scenario_free(s->item[i].scenario);
	}
	free(s->item);
	deviations_fini(&s->deviations);
	notes_fini(&s->notes);
	clauses_fini(&s->clauses);
	free(s->dir);
	*s = (struct survey){0};
}

static bool holds_for(const struct require *r, const char *target)
{
	const struct facts facts = {.target = target};
	auto_free char *why = NULL;

	return strcmp(r->capability->name, "target") != 0 || require_holds(r, &facts, &why);
}

bool scenario_fits_target(const struct scenario *s, const char *target)
{
	struct vbm_error err;
	struct require r;
	size_t i;

	for (i = 0; target && s->requires && i < s->requires->list.count; i++)
		if (require_parse(&r, s->requires->list.item[i]->s, &err) == 0 &&
		    !holds_for(&r, target))
			return false;
	return true;
}

/* What depends on where a target runs is not said of the target. */
static bool is_about_place(const struct deviation *d)
{
	const char *name;
	size_t i;

	for (i = 0; i < d->when_count; i++) {
		name = d->when[i].capability->name;
		if (!strcmp(name, "kernel") || !strcmp(name, "layout") || !strcmp(name, "lane"))
			return true;
	}
	return false;
}

bool deviation_fits_target(const struct deviation *d, const char *target)
{
	size_t i;

	for (i = 0; target && i < d->when_count; i++)
		if (!holds_for(&d->when[i], target))
			return false;
	return true;
}

const struct deviation *survey_deviation(const struct survey *s, const char *variant,
					 const char *target)
{
	size_t i;

	for (i = 0; target && i < s->deviations.count; i++)
		if (deviation_names(&s->deviations.item[i], variant) &&
		    deviation_fits_target(&s->deviations.item[i], target) &&
		    !is_about_place(&s->deviations.item[i]))
			return &s->deviations.item[i];
	return NULL;
}
