/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/deviations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fail.h"
#include "event/event.h"
#include "catalogue/files.h"
#include "catalogue/suite.h"

static bool is_selected(const struct deviation *d, const char *root, const struct selection *sel)
{
	size_t i;

	for (i = 0; i < sel->plan.count; i++)
		if (sel->root_of[i] && strcmp(sel->root_of[i], root) == 0 &&
		    deviation_names(d, sel->plan.item[i].name))
			return true;
	return false;
}

/* The files of the suite are read only when an entry is about none that was selected. */
static int check_names(const struct suite_deviations *suite, const struct selection *sel,
		       struct vbm_error *err)
{
	struct scenario_files files = {0};
	struct scenario_names names = {0};
	const struct deviation *d;
	int rc = 0;
	size_t i;

	for (i = 0; i < suite->list.count && rc == 0; i++) {
		d = &suite->list.item[i];
		if (is_selected(d, suite->root, sel))
			continue;
		if (!files.count) {
			rc = scenario_files_find_all(&files, &suite->root, 1, err);
			scenario_names_make(&names, &files);
		}
		if (rc == 0 && !deviation_names_any(d, &names))
			rc = vbm_fail(err, ENOENT, "%s:%d:%d: error: no scenario is called '%s': "
				      "correct the entry or take it out", d->file, d->pos.line,
				      d->pos.col, d->scenario);
	}
	scenario_names_fini(&names);
	scenario_files_fini(&files);
	return rc;
}

static const struct deviations *list_of(const struct deviations_filter *k, const char *root)
{
	size_t i;

	for (i = 0; i < k->suite_count; i++)
		if (strcmp(k->suite[i].root, root) == 0)
			return &k->suite[i].list;
	return NULL;
}

static int load_suite(struct deviations_filter *k, const char *root, struct vbm_error *err)
{
	auto_free char *dir = xasprintf("%s/" SUITE_DEVIATIONS, root);
	struct suite_deviations *suite;
	int rc;

	GROW(k->suite, k->suite_count);
	suite = &k->suite[k->suite_count++];
	*suite = (struct suite_deviations){.root = xstrdup(root)};
	rc = deviations_load(&suite->list, dir, err);
	return rc < 0 ? rc : check_names(suite, k->selection, err);
}

int deviations_filter_load(struct deviations_filter *k, const struct selection *sel, struct vbm_error *err)
{
	int rc = 0;
	size_t i;

	k->selection = sel;
	for (i = 0; i < sel->root_count && rc == 0; i++)
		rc = load_suite(k, sel->root[i], err);
	return rc;
}

static void forget_failures(struct deviations_filter *k)
{
	size_t i;

	for (i = 0; i < k->failure_count; i++) {
		free(k->failure[i].field);
		free(k->failure[i].got);
	}
	k->failure_count = 0;
}

void deviations_filter_fini(struct deviations_filter *k)
{
	size_t i;

	for (i = 0; i < k->suite_count; i++) {
		deviations_fini(&k->suite[i].list);
		free(k->suite[i].root);
	}
	free(k->suite);
	forget_failures(k);
	free(k->failure);
	free(k->layout);
}

static void begin_scenario(struct deviations_filter *k, int64_t number)
{
	const struct selection *sel = k->selection;

	forget_failures(k);
	k->list = NULL;
	if (number >= 0 && number < (int64_t)sel->plan.count && sel->root_of[number])
		k->list = list_of(k, sel->root_of[number]);
}

/* What rules the outcomes of one either: out is one failure, as is all that one step got wrong. */
static void keep_failure(struct deviations_filter *k, const struct value *event)
{
	int64_t either = value_get_int(event, "either", 0);

	GROW(k->failure, k->failure_count);
	k->failure[k->failure_count++] = (struct seen_failure){
		.field = xstrdup(value_get_string(event, "field", "")),
		.got = xstrdup(value_get_string(event, "actual", "")),
		.step = either ? -1 - either : value_get_int(event, "index", -1),
	};
}

static bool explains_any(const struct deviations_filter *k, const struct deviation *d)
{
	size_t i;

	for (i = 0; i < k->failure_count; i++)
		if (deviation_explains(d, k->failure[i].field, k->failure[i].got))
			return true;
	return false;
}

static bool is_explained(const struct deviations_filter *k, const char *name, const struct seen_failure *f)
{
	const struct deviation *d;
	size_t n;

	for (n = 0; n < k->list->count; n++) {
		d = &k->list->item[n];
		if (deviation_applies(d, name, &k->facts) &&
		    deviation_explains(d, f->field, f->got))
			return true;
	}
	return false;
}

/*
 * Whether there was a failure, and an entry for each step that failed: an
 * answer that is wrong in one field is mostly wrong in others for that reason.
 */
static bool all_explained(const struct deviations_filter *k, const char *name)
{
	bool explained = k->failure_count > 0;
	size_t i, n;

	for (i = 0; i < k->failure_count && explained; i++) {
		explained = false;
		for (n = 0; n < k->failure_count && !explained; n++)
			explained = k->failure[n].step == k->failure[i].step &&
				    is_explained(k, name, &k->failure[n]);
	}
	return explained;
}

static void give(struct value *event, enum verdict verdict, const struct text *reason)
{
	value_set_string(event, "verdict", verdict_name(verdict));
	value_set_string(event, "reason", reason->s);
}

static void excuse(struct deviations_filter *k, const char *name, struct value *event)
{
	struct text reason auto_text = {0};
	const struct deviation *d;
	size_t i;

	if (!all_explained(k, name))
		return;
	for (i = 0; i < k->list->count; i++) {
		d = &k->list->item[i];
		if (!deviation_applies(d, name, &k->facts) || !explains_any(k, d))
			continue;
		text_addf(&reason, "%s%s%s%s (seen with %s)", reason.s ? "; " : "",
			  d->clause ? d->clause : "", d->clause ? ": " : "", d->what, d->seen);
	}
	give(event, VERDICT_XFAIL, &reason);
}

/* A pass is held against every entry that says it cannot be. */
static void blame(struct deviations_filter *k, const char *name, struct value *event)
{
	struct text reason auto_text = {0};
	const struct deviation *d;
	size_t i;

	for (i = 0; i < k->list->count; i++) {
		d = &k->list->item[i];
		if (deviation_applies(d, name, &k->facts))
			text_addf(&reason, "%s%s:%d:%d: this is said to fail (%s), and passes: "
				  "take the entry out", reason.s ? "; " : "", d->file,
				  d->pos.line, d->pos.col, d->what);
	}
	if (reason.s)
		give(event, VERDICT_XPASS, &reason);
}

static void filter_verdict(struct deviations_filter *k, struct value *event)
{
	const char *name = value_get_string(event, "name", "");
	enum verdict verdict;

	if (!k->list || verdict_parse(value_get_string(event, "verdict", ""), &verdict) < 0)
		return;
	if (verdict == VERDICT_PASS)
		blame(k, name, event);
	else if (verdict == VERDICT_FAIL)
		excuse(k, name, event);
}

void deviations_filter_event(struct deviations_filter *k, struct value *event)
{
	if (event_is(event, "layout")) {
		free(k->layout);
		k->layout = xstrdup(value_get_string(event, "layout", ""));
		k->facts.layout = k->layout;
	} else if (event_is(event, "scenario")) {
		begin_scenario(k, value_get_int(event, "variant", -1));
	} else if (event_is(event, "fail")) {
		keep_failure(k, event);
	} else if (event_is(event, "verdict")) {
		filter_verdict(k, event);
	}
}
