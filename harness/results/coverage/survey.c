/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "catalogue/files.h"
#include "catalogue/suite.h"
#include "names/device-words.h"

static int load_one(struct survey *out, const struct scenario_file *file, struct text *problems,
		    struct vbm_error *err)
{
	struct diagnostics diag = {0};
	struct surveyed item = {0};
	int rc = scenario_file_load(&item.scenario, file, &diag, err);

	if (rc == 0) {
		item.root = xstrdup(file->root);
		clauses_check(&out->clauses, item.scenario, &diag);
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

static int load_scenarios(struct survey *out, const struct scenario_files *files,
			  const struct device_type *device, struct text *problems, struct vbm_error *err)
{
	int rc = 0, one;
	size_t i;

	for (i = 0; i < files->count; i++) {
		files->item[i].connects = compile_connects(device);
		one = load_one(out, &files->item[i], problems, err);
		rc = rc ? rc : one;
	}
	return rc;
}

/* Sets out->dir: the suite of all files, or the folder @dir if no file is in a suite. */
static int find_suite(struct survey *out, const char *dir, const struct scenario_files *files,
		      struct vbm_error *err)
{
	const struct scenario_file *f, *first = &files->item[0];
	bool any = first->in_suite, is_file = suite_same_file(dir, first->path);
	size_t i;

	for (i = 1; i < files->count; i++) {
		f = &files->item[i];
		any = any || f->in_suite;
		if (any && strcmp(f->root, first->root) != 0)
			return vbm_fail(err, EINVAL, "%s: the files are of several suites: %s is of %s, "
					"%s of %s; name one folder", dir, first->path, first->root,
					f->path, f->root);
	}
	/* If the given path is the suite, messages show it as it was given. */
	if (is_file || (any && !suite_same_file(dir, first->root)))
		out->dir = xstrdup(first->root);
	else
		out->dir = xstrdup(dir);
	return 0;
}

static int load_all(struct survey *out, char *dir, struct scenario_files *files,
		    const struct device_type *device, struct text *problems, struct vbm_error *err)
{
	const struct {
		const struct table_format *format;
		char **text;
		void *out;
	} tables[] = {
		{&coverage_note_format, &out->notes.text, &out->notes}, {&mutant_format, &out->mutants.text, &out->mutants},
		{&coverage_call_format, &out->other_calls.text, &out->other_calls},
		{&statement_format, &out->statements.text, &out->statements},
	};
	auto_free char *known = NULL;
	int rc = scenario_files_find_all(files, &dir, 1, err);
	size_t i;

	if (rc == 0 && !files->count)
		rc = vbm_fail(err, ENOENT, "%s: there is no scenario in it", dir);
	if (rc == 0)
		rc = find_suite(out, dir, files, err);
	if (rc == 0)
		rc = clauses_load(&out->clauses, out->dir, err);
	for (i = 0; rc == 0 && i < ARRAY_SIZE(tables); i++)
		rc = table_load(tables[i].format, out->dir, tables[i].text, tables[i].out, err);
	if (rc == 0) {
		known = xasprintf("%s/" SUITE_FINDINGS, out->dir);
		rc = findings_load(&out->findings, known, err);
	}
	return rc < 0 ? rc : load_scenarios(out, files, device, problems, err);
}

int survey_load(struct survey *out, const char *dir, const struct device_type *device,
		struct text *problems, struct vbm_error *err)
{
	auto_free char *from = dir ? xstrdup(dir) : NULL;
	struct scenario_files files = {0};
	int rc = 0;

	*out = (struct survey){0};
	if (!from)
		rc = suite_default(&from, err);
	if (rc == 0)
		rc = load_all(out, from, &files, device, problems, err);
	scenario_files_fini(&files);
	if (rc < 0)
		survey_fini(out);
	return rc;
}

static void free_items(struct survey *s)
{
	size_t i;

	for (i = 0; !s->borrows && i < s->count; i++) {
		scenario_free(s->item[i].scenario);
		free(s->item[i].root);
	}
	free(s->item);
}

static bool is_named_in(const char *id, const char *const *ids, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(id, ids[i]))
			return true;
	return false;
}

static int load_again(struct survey *out, const struct surveyed *item, const struct device_type *device,
		      struct text *problems, struct vbm_error *err)
{
	const struct scenario_file file = {
		.path = item->scenario->path, .id = item->scenario->id, .root = item->root,
		.connects = compile_connects(device),
	};

	return load_one(out, &file, problems, err);
}

int survey_part(struct survey *out, const struct survey *s, const struct device_type *device,
		const char *const *ids, size_t count, struct text *problems, struct vbm_error *err)
{
	int rc = 0;
	size_t i;

	*out = *s;
	out->item = NULL;
	out->count = 0;
	out->borrows = !strcmp(compile_connects(device), compile_connects(NULL));
	for (i = 0; rc == 0 && i < s->count; i++) {
		if (!is_named_in(s->item[i].scenario->id, ids, count))
			continue;
		if (!out->borrows) {
			rc = load_again(out, &s->item[i], device, problems, err);
			continue;
		}
		GROW(out->item, out->count);
		out->item[out->count++] = s->item[i];
	}
	return rc;
}

void survey_part_fini(struct survey *part)
{
	free_items(part);
	*part = (struct survey){0};
}

void survey_fini(struct survey *s)
{
	free_items(s);
	findings_fini(&s->findings);
	statements_fini(&s->statements);
	other_calls_fini(&s->other_calls);
	mutants_fini(&s->mutants);
	coverage_notes_fini(&s->notes);
	clauses_fini(&s->clauses);
	free(s->dir);
	*s = (struct survey){0};
}

bool survey_scenario_names_clause(const struct scenario *s, const char *clause)
{
	size_t i;

	for (i = 0; i < s->clause_count; i++)
		if (!strcmp(s->clauses[i], clause))
			return true;
	return false;
}

bool survey_variant_names_clause(const struct variant *v, const char *clause)
{
	size_t i;

	for (i = 0; i < v->clauses->list.count; i++)
		if (!strcmp(v->clauses->list.item[i]->s, clause))
			return true;
	return false;
}

static bool holds_for(const struct require *r, const char *target)
{
	const struct facts facts = {.target = target};
	auto_free char *why = NULL;

	return strcmp(r->capability->name, "target") != 0 || require_holds(r, &facts, &why);
}

bool survey_variant_fits_target(const struct variant *v, const char *target)
{
	struct vbm_error err;
	struct require r;
	size_t i;

	for (i = 0; target && i < v->needs->list.count; i++)
		if (require_parse(&r, v->needs->list.item[i]->s, &err) == 0 &&
		    !holds_for(&r, target))
			return false;
	return true;
}

bool survey_scenario_fits_target(const struct scenario *s, const char *target)
{
	size_t i;

	for (i = 0; i < s->plan.count; i++)
		if (survey_variant_fits_target(&s->plan.item[i], target))
			return true;
	return false;
}

/* Whether it depends on kernel, layout, lane or device, so that it is not always true of the target. */
static bool is_conditional(const struct finding *d)
{
	const char *name;
	size_t i;

	for (i = 0; i < d->when_count; i++) {
		name = d->when[i].capability->name;
		if (!strcmp(name, "kernel") || !strcmp(name, "layout") || !strcmp(name, "lane") ||
		    !strcmp(name, "device"))
			return true;
	}
	return false;
}

bool survey_finding_fits_target(const struct finding *d, const char *target)
{
	size_t i;

	for (i = 0; target && i < d->when_count; i++)
		if (!holds_for(&d->when[i], target))
			return false;
	return true;
}

/* Returns the finding that weighs more: a bug, then a deviation, then a difference. */
static const struct finding *heavier(const struct finding *a, const struct finding *b)
{
	return a && (!b || a->kind <= b->kind) ? a : b;
}

/* Whether the finding is true of @target on every kernel and in every layout and lane. */
static bool holds_everywhere(const struct finding *d, const char *target)
{
	return survey_finding_fits_target(d, target) && !is_conditional(d);
}

bool survey_finding_holds(const struct survey *s, const struct finding *d, const char *target,
			  const struct device_type *device)
{
	const struct facts facts = {
		.lane = "uml", .layout = "netns", .time = "virtual", .faults = "yes",
		.kernel = s->findings.newest.kernel, .rdma_core = s->findings.newest.rdma_core,
		.target = target ? target : "system", .device = device->name, .can = device->can,
	};

	return finding_holds(d, &facts);
}

/* @device NULL: of any device. */
static const struct finding *heaviest(const struct survey *s, const char *variant, const char *target,
				      const struct device_type *device)
{
	const struct finding *found = NULL, *d;
	size_t i;

	for (i = 0; i < s->findings.count; i++) {
		d = &s->findings.item[i];
		if (finding_names(d, variant) &&
		    (device ? survey_finding_holds(s, d, target, device) : !target || holds_everywhere(d, target)))
			found = heavier(found, d);
	}
	return found;
}

const struct finding *survey_finding(const struct survey *s, const char *variant, const char *target)
{
	return heaviest(s, variant, target, NULL);
}

const struct finding *survey_finding_of_devices(const struct survey *s, const struct variant *v, const char *target,
						const struct device_type *device)
{
	const struct finding *found = NULL;
	const struct device_type *type;
	size_t i;

	if (!v->devices)
		return heaviest(s, v->name, target, device);
	for (i = 0; (type = device_type_nth(i)); i++)
		if (device_words_have(v->devices, v->hosts, type))
			found = heavier(found, heaviest(s, v->name, target, type));
	return found;
}
