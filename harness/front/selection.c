/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "cmd.h"
#include "front/tracker.h"
#include "catalogue/files.h"
#include "catalogue/match.h"

static bool matches(const struct campaign_options *opts, const char *name)
{
	size_t i;

	for (i = 0; i < opts->filter_count; i++)
		if (name_matches(opts->filters[i], name))
			return true;
	return opts->filter_count == 0;
}

/* Drop the variants that no argument means or no filter matches; how many are left. */
static size_t filter(const struct campaign_options *opts, const struct scenario_file *file,
		     struct variants *v)
{
	bool whole = matches(opts, file->id);
	size_t i, kept = 0;

	for (i = 0; i < v->count; i++) {
		if (scenario_file_wants(file, v->item[i].name) &&
		    (whole || matches(opts, v->item[i].name))) {
			v->item[kept++] = v->item[i];
		} else {
			free(v->item[i].name);
			value_free(v->item[i].vars);
		}
	}
	v->count = kept;
	return kept;
}

static int expect_all(const struct variants *v, struct tracker *tracker)
{
	size_t i;

	for (i = 0; i < v->count; i++)
		if (tracker_expect(tracker, v->item[i].name) < 0)
			return fprintf(stderr, "verbatim: two scenarios are called '%s'\n",
				       v->item[i].name), -EEXIST;
	return 0;
}

static int add(struct selection *sel, const struct scenario_file *file,
	       const struct campaign_options *opts, struct tracker *tracker)
{
	struct diagnostics diag = {0};
	struct selected s = {0};
	struct vbm_error err = {0};
	size_t len;

	if (scenario_read(file->path, &s.text, &len, &err) < 0) {
		fprintf(stderr, "verbatim: %s\n", err.msg);
		return -err.code;
	}
	if (scenario_parse(&s.scenario, file->path, file->id, s.text, len, &diag) < 0) {
		auto_free char *lines = diagnostics_format(&diag, file->path);

		fputs(lines, stderr);
		diagnostics_fini(&diag);
		free(s.text);
		return -EINVAL;
	}
	diagnostics_fini(&diag);
	scenario_variants(s.scenario, &s.variants);
	if (!filter(opts, file, &s.variants)) {
		variants_fini(&s.variants);
		scenario_free(s.scenario);
		free(s.text);
		return 0;
	}
	s.root = xstrdup(file->root);
	GROW(sel->item, sel->count);
	sel->item[sel->count++] = s;
	return expect_all(&s.variants, tracker);
}

int selection_make(struct selection *sel, const struct campaign_options *opts,
		   struct tracker *tracker)
{
	struct scenario_files files = {0};
	struct vbm_error err = {0};
	int status = EXIT_OK;
	size_t i;

	if (scenario_files_find(&files, opts->paths, (int)opts->path_count, &err) < 0) {
		fprintf(stderr, "verbatim: %s\n", err.msg);
		return EXIT_USAGE;
	}
	for (i = 0; i < files.count; i++)
		if (add(sel, &files.item[i], opts, tracker) < 0)
			status = EXIT_USAGE;
	scenario_files_fini(&files);
	if (status == EXIT_OK && sel->count == 0) {
		fputs(opts->filter_count ?
		      "verbatim: no scenario matches the filter; see verbatim list\n" :
		      "verbatim: there is no scenario to run\n", stderr);
		status = EXIT_USAGE;
	}
	return status;
}

void selection_fini(struct selection *sel)
{
	size_t i;

	for (i = 0; i < sel->count; i++) {
		variants_fini(&sel->item[i].variants);
		scenario_free(sel->item[i].scenario);
		free(sel->item[i].text);
		free(sel->item[i].root);
	}
	free(sel->item);
}

static struct value *waiting_variants(const struct variants *v, const struct tracker *t,
				      size_t *at)
{
	struct value *names = value_list();
	size_t i;

	/* The tracker was told of them in the same order. */
	for (i = 0; i < v->count; i++, (*at)++)
		if (t->item[*at].state == TRACK_WAITING)
			value_append(names, value_string(v->item[i].name));
	return names;
}

struct value *selection_remaining(const struct selection *sel, const struct tracker *tracker)
{
	struct value *files = value_list(), *file, *names;
	size_t i, at = 0;

	for (i = 0; i < sel->count; i++) {
		names = waiting_variants(&sel->item[i].variants, tracker, &at);
		if (names->list.count == 0) {
			value_free(names);
			continue;
		}
		file = value_map();
		value_set_string(file, "path", sel->item[i].scenario->path);
		value_set_string(file, "id", sel->item[i].scenario->id);
		value_set_string(file, "text", sel->item[i].text);
		value_set(file, "variants", names);
		value_append(files, file);
	}
	return files;
}

bool selection_wants_dns(const struct selection *sel)
{
	size_t i;

	for (i = 0; i < sel->count; i++)
		if (sel->item[i].scenario->names[NAMES_DNS])
			return true;
	return false;
}

int selection_longest_ms(const struct selection *sel)
{
	const struct scenario *sc;
	int longest = 0;
	size_t i, k;

	for (i = 0; i < sel->count; i++) {
		sc = sel->item[i].scenario;
		for (k = 0; k < sc->step_count; k++)
			if (sc->steps[k].deadline_ms > longest)
				longest = sc->steps[k].deadline_ms;
	}
	return longest;
}
