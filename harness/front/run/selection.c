/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/match.h"
#include "base/text.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "catalogue/source.h"
#include "names/exit-status.h"
#include "compile/scenario.h"

void clause_filter_init(struct clause_filter *f, char *const *glob, size_t count)
{
	*f = (struct clause_filter){.glob = glob, .count = count, .met = xcalloc(count + 1, sizeof(*f->met))};
}

void clause_filter_fini(struct clause_filter *f)
{
	clauses_fini(&f->clauses);
	free(f->root);
	free(f->met);
	*f = (struct clause_filter){0};
}

/* Reads the catalogue of @root, unless it is the one that was read last. */
static void read_catalogue(struct clause_filter *f, const char *root)
{
	struct vbm_error err;

	if (f->root && !strcmp(f->root, root))
		return;
	clauses_fini(&f->clauses);
	free(f->root);
	f->root = xstrdup(root);
	if (clauses_load(&f->clauses, root, &err) < 0)
		visible_complain("%s", err.msg);
}

/* The names of a clause: its id and, if @clauses has it, its statements. */
static void add_names(struct string_list *names, const struct clauses *clauses, const char *id)
{
	const struct clause *clause = clauses ? clause_find(clauses, id) : NULL;

	string_list_add(names, id);
	if (clause)
		sources_statements(names, clause->source);
}

bool clause_filter_matches(struct clause_filter *f, const char *root, const struct variant *v)
{
	struct string_list names auto_string_list = {0};
	bool any = f->count == 0;
	size_t i, k;

	if (any)
		return true;
	if (root)
		read_catalogue(f, root);
	for (i = 0; i < v->clauses->list.count; i++)
		add_names(&names, root ? &f->clauses : NULL, v->clauses->list.item[i]->s);
	for (i = 0; i < f->count; i++)
		for (k = 0; k < names.count; k++)
			if (match_name(f->glob[i], names.item[k]))
				f->met[i] = any = true;
	return any;
}

const char *clause_filter_unmet(const struct clause_filter *f)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if (!f->met[i])
			return f->glob[i];
	return NULL;
}

/* @met[i]: whether filter i has matched a scenario so far. */
static bool is_chosen(const struct run_options *opts, bool *met, const struct variant *v)
{
	bool any = opts->filter_count == 0;
	size_t i;

	for (i = 0; i < opts->filter_count; i++) {
		if (!match_name(opts->filters[i], v->id) &&
		    !match_name(opts->filters[i], v->name))
			continue;
		met[i] = any = true;
	}
	return any;
}

/* The selection's single copy of @root; NULL for NULL. */
static const char *add_root(struct selection *sel, const char *root)
{
	size_t i;

	for (i = 0; root && i < sel->root_count; i++)
		if (strcmp(sel->root[i], root) == 0)
			return sel->root[i];
	if (!root)
		return NULL;
	GROW(sel->root, sel->root_count);
	sel->root[sel->root_count] = xstrdup(root);
	return sel->root[sel->root_count++];
}

static bool is_taken(const struct plan *plan, const char *name)
{
	size_t i;

	for (i = 0; i < plan->count; i++)
		if (strcmp(plan->item[i].name, name) == 0)
			return true;
	return false;
}

/*
 * Moves the variants that match the filters out of @from, and returns their number. @file
 * is their file, or NULL.
 */
static int take_variants(struct selection *sel, const struct run_options *opts,
			 struct plan *from, const struct scenario_file *file)
{
	struct variant *v;
	int taken = 0;
	size_t i;

	for (i = 0; i < from->count; i++) {
		v = &from->item[i];
		if (file && !scenario_file_wants(file, v->name))
			continue;
		if (!is_chosen(opts, sel->met, v) || !clause_filter_matches(&sel->clauses, file ? file->root : NULL, v))
			continue;
		if (is_taken(&sel->plan, v->name))
			return visible_complain("two scenarios are called '%s'", v->name), -EEXIST;
		v->number = sel->plan.count;
		GROW(sel->root_of, sel->plan.count);
		sel->root_of[sel->plan.count] = file ? add_root(sel, file->root) : NULL;
		GROW(sel->plan.item, sel->plan.count);
		sel->plan.item[sel->plan.count++] = *v;
		*v = (struct variant){0};
		taken++;
	}
	return taken;
}

/* One device that rdma_cm alone connects is enough. */
static const char *connects_by_device(const struct run_options *opts)
{
	return device_words_by_cm(&opts->choice.devices, DEVICE_HOSTS) ? CONNECTS_BY_CM : CONNECTS_BY_HAND;
}

const char *selection_connects(const struct run_options *opts)
{
	return opts->connects ? opts->connects : connects_by_device(opts);
}

static int add_scenario(struct selection *sel, const struct scenario_file *file,
			const struct run_options *opts)
{
	struct diagnostics diag = {0};
	struct vbm_error err = {0};
	struct scenario *sc = NULL;
	struct scenario_file for_device = *file;
	int rc;

	for_device.connects = connects_by_device(opts);
	for_device.chosen = opts->connects;
	rc = scenario_file_load(&sc, &for_device, &diag, &err);
	if (diag.count) {
		auto_free char *lines = diagnostics_format(&diag, file->path);

		fputs(lines, stderr);
	} else if (rc < 0) {
		visible_complain("%s", err.msg);
	}
	diagnostics_fini(&diag);
	if (rc == 0) {
		rc = take_variants(sel, opts, &sc->plan, file);
		scenario_free(sc);
	}
	return rc < 0 ? rc : 0;
}

static bool is_plan(const char *path)
{
	size_t n = strlen(path);

	return n > 5 && strcmp(path + n - 5, ".json") == 0;
}

/* A plan that "verbatim check --plan" wrote. */
static int add_plan(struct selection *sel, const char *path, const struct run_options *opts)
{
	auto_value struct value *v = NULL;
	auto_free char *text = NULL;
	struct vbm_error err = {0};
	struct plan plan = {0};
	int rc = -EINVAL;

	text = text_of_file(path, &err);
	if (text)
		v = json_read(text, strlen(text), &err);
	if (v)
		rc = plan_from_value(&plan, v, &err);
	if (rc < 0) {
		visible_complain("%s: %s", path, err.msg);
		return rc;
	}
	rc = take_variants(sel, opts, &plan, NULL);
	plan_fini(&plan);
	return rc < 0 ? rc : 0;
}

/* Adds the plans among the arguments; the others are files, folders and names. */
static int add_plans(struct selection *sel, const struct run_options *opts, char **rest,
		     int *count)
{
	int rc = 0, one;
	size_t i;

	*count = 0;
	for (i = 0; i < opts->path_count; i++) {
		if (!is_plan(opts->paths[i])) {
			rest[(*count)++] = opts->paths[i];
			continue;
		}
		one = add_plan(sel, opts->paths[i], opts);
		rc = rc ? rc : one;
	}
	return rc;
}

/* A filter that matches nothing is misspelt, or its scenario has a new name. */
static int check_filters(const struct selection *sel, const struct run_options *opts)
{
	const char *unmet = clause_filter_unmet(&sel->clauses);
	int status = EXIT_OK;
	size_t i;

	if (unmet) {
		visible_complain("no scenario proves a clause or statement that matches '%s'; see verbatim list "
				 "--clauses", unmet);
		status = EXIT_USAGE;
	}
	for (i = 0; i < opts->filter_count; i++) {
		if (sel->met[i])
			continue;
		visible_complain("no scenario matches the filter '%s'; see verbatim list", opts->filters[i]);
		status = EXIT_USAGE;
	}
	return status;
}

int selection_make(struct selection *sel, const struct run_options *opts)
{
	auto_free char **rest = xcalloc(opts->path_count + 1, sizeof(*rest));
	struct scenario_files files = {0};
	struct vbm_error err = {0};
	int status = EXIT_OK, count;
	size_t i;

	sel->met = xcalloc(opts->filter_count + 1, sizeof(*sel->met));
	clause_filter_init(&sel->clauses, opts->clauses, opts->clause_count);
	if (add_plans(sel, opts, rest, &count) < 0)
		status = EXIT_USAGE;
	if ((count || !opts->path_count) && scenario_files_find(&files, rest, count, &err) < 0) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	for (i = 0; i < files.count; i++)
		if (add_scenario(sel, &files.item[i], opts) < 0)
			status = EXIT_USAGE;
	scenario_files_fini(&files);
	if (status == EXIT_OK)
		status = check_filters(sel, opts);
	if (status == EXIT_OK && sel->plan.count == 0) {
		fputs("verbatim: there is no scenario to run\n", stderr);
		status = EXIT_USAGE;
	}
	return status;
}

void selection_fini(struct selection *sel)
{
	size_t i;

	plan_fini(&sel->plan);
	for (i = 0; i < sel->root_count; i++)
		free(sel->root[i]);
	free(sel->root);
	free(sel->root_of);
	free(sel->met);
	clause_filter_fini(&sel->clauses);
}

size_t selection_keep(struct selection *sel, bool (*keep)(const struct variant *v, const void *arg), const void *arg)
{
	struct variant *item = sel->plan.item;
	size_t i, kept = 0, before = sel->plan.count;

	for (i = 0; i < before; i++) {
		if (!keep(&item[i], arg)) {
			variant_fini(&item[i]);
			continue;
		}
		item[kept] = item[i];
		item[kept].number = kept;
		sel->root_of[kept++] = sel->root_of[i];
	}
	sel->plan.count = kept;
	return before - kept;
}

int selection_hosts(const struct selection *sel)
{
	int most = 0;
	size_t i;

	for (i = 0; i < sel->plan.count; i++)
		most = sel->plan.item[i].hosts > most ? sel->plan.item[i].hosts : most;
	return most;
}

bool selection_wants_dns(const struct selection *sel)
{
	size_t i;

	for (i = 0; i < sel->plan.count; i++)
		if (value_get(sel->plan.item[i].services, "dns"))
			return true;
	return false;
}

bool selection_wants_programs(const struct selection *sel)
{
	size_t i;

	for (i = 0; i < sel->plan.count; i++)
		if (variant_wants_programs(&sel->plan.item[i]))
			return true;
	return false;
}
