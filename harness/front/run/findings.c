/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/match.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "catalogue/suite.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "names/device-words.h"
#include "run/repeat.h"

static bool is_selected(const char *pattern, const char *root, const struct selection *sel)
{
	size_t i;

	for (i = 0; i < sel->plan.count; i++)
		if (sel->root_of[i] && strcmp(sel->root_of[i], root) == 0 &&
		    match_name(pattern, sel->plan.item[i].name))
			return true;
	return false;
}

/* Lists the files of the suite only if a symptom names no selected scenario, and compiles them only if none has that name. */
struct suite_names {
	const struct suite_findings *suite;
	const struct selection *selection;
	struct scenario_files files;
	struct scenario_names names;
	bool compiled;
};

/* Whether a file of the suite has the id of the pattern. verbatim check looks for the variant in it, too. */
static bool has_file(const struct suite_names *n, const char *pattern)
{
	auto_free char *id = xasprintf("%.*s", (int)strcspn(pattern, "["), pattern);
	size_t i;

	for (i = 0; i < n->files.count; i++)
		if (match_name(id, n->files.item[i].id))
			return true;
	return false;
}

static bool has_variant(struct suite_names *n, const char *pattern)
{
	if (!n->compiled)
		scenario_names_load(&n->names, &n->files);
	n->compiled = true;
	return scenario_names_match(&n->names, pattern);
}

static int check_symptom(struct suite_names *n, const struct finding *d,
		       const struct finding_symptom *p, struct vbm_error *err)
{
	int rc = 0;

	if (is_selected(p->scenario, n->suite->root, n->selection))
		return 0;
	if (!n->files.count)
		rc = scenario_files_find_all(&n->files, &n->suite->root, 1, err);
	if (rc == 0 && !has_file(n, p->scenario) && !has_variant(n, p->scenario))
		rc = vbm_fail(err, ENOENT, "%s:%d:%d: error: there is no scenario '%s': correct "
			      "the entry or delete it", d->file, p->scenario_pos.line, p->scenario_pos.col,
			      p->scenario);
	return rc;
}

static int check_names(const struct suite_findings *suite, const struct selection *sel,
		       struct vbm_error *err)
{
	struct suite_names n = {.suite = suite, .selection = sel};
	const struct finding *d;
	int rc = 0;
	size_t i, k;

	for (i = 0; i < suite->list.count && rc == 0; i++) {
		d = &suite->list.item[i];
		for (k = 0; k < d->symptom_count && rc == 0; k++)
			rc = check_symptom(&n, d, &d->symptom[k], err);
	}
	scenario_names_fini(&n.names);
	scenario_files_fini(&n.files);
	return rc;
}

static const struct findings *list_of(const struct findings_filter *k, const char *root)
{
	size_t i;

	for (i = 0; i < k->suite_count; i++)
		if (strcmp(k->suite[i].root, root) == 0)
			return &k->suite[i].list;
	return NULL;
}

static int load_suite(struct findings_filter *k, const char *root, struct vbm_error *err)
{
	auto_free char *dir = xasprintf("%s/" SUITE_FINDINGS, root);
	struct suite_findings *suite;
	int rc;

	GROW(k->suite, k->suite_count);
	suite = &k->suite[k->suite_count++];
	*suite = (struct suite_findings){.root = xstrdup(root)};
	rc = findings_load(&suite->list, dir, err);
	return rc < 0 ? rc : check_names(suite, k->selection, err);
}

int findings_filter_load(struct findings_filter *k, const struct selection *sel,
			 struct vbm_error *err)
{
	int rc = 0;
	size_t i;

	k->selection = sel;
	for (i = 0; i < sel->root_count && rc == 0; i++)
		rc = load_suite(k, sel->root[i], err);
	return rc;
}

static void forget_failures(struct findings_filter *k)
{
	size_t i;

	for (i = 0; i < k->failure_count; i++) {
		free(k->failure[i].call);
		free(k->failure[i].field);
		free(k->failure[i].got);
		free(k->failure[i].round);
	}
	k->failure_count = 0;
}

void findings_filter_fini(struct findings_filter *k)
{
	size_t i;

	for (i = 0; i < k->suite_count; i++) {
		findings_fini(&k->suite[i].list);
		free(k->suite[i].root);
	}
	free(k->suite);
	forget_failures(k);
	free(k->failure);
	free(k->layout);
	machines_facts_fini(&k->machines);
}

static void begin_scenario(struct findings_filter *k, int64_t number)
{
	const struct selection *sel = k->selection;

	forget_failures(k);
	k->list = NULL;
	k->steps = 0;
	if (number < 0 || number >= (int64_t)sel->plan.count || !sel->root_of[number])
		return;
	k->variant = (size_t)number;
	k->list = list_of(k, sel->root_of[number]);
}

/* All failures of one either: count as one, and so do all failures of one step. */
static void keep_failure(struct findings_filter *k, const struct value *event)
{
	int64_t either = event_integer_or(event, "either", 0);

	GROW(k->failure, k->failure_count);
	k->failure[k->failure_count++] = (struct seen_failure){
		.call = xasprintf("%s.%s", event_string(event, "host"),
				  event_string(event, "call")),
		.field = xstrdup(event_string(event, "field")),
		.got = xstrdup(event_string(event, "actual")),
		.round = xstrdup(event_string_or(event, "round", "")),
		.step = either ? -1 - either : event_integer(event, "index"),
	};
}

static struct finding_seen seen_in(const char *name, const struct seen_failure *f)
{
	return (struct finding_seen){name, f->call, f->field, f->got, f->round};
}

static bool explains(const struct finding *d, const char *name, const struct seen_failure *f)
{
	struct finding_seen seen = seen_in(name, f);

	return finding_explains(d, &seen);
}

/* A wrong answer does not explain a death. */
static bool may_explain(const char *name, const struct seen_failure *other,
			const struct seen_failure *f)
{
	struct finding_seen seen = seen_in(name, f);

	return other == f || (other->step == f->step && !finding_seen_is_death(&seen));
}

static bool explains_any(const struct findings_filter *k, const struct finding *d,
			 const char *name)
{
	size_t i;

	for (i = 0; i < k->failure_count; i++)
		if (explains(d, name, &k->failure[i]))
			return true;
	return false;
}

/*
 * The facts for the @i-th type of devices; false: no host of the variant has one. Hosts with devices of several types count
 * as machines do: a failure may be that of any, and only what all must show is missed.
 */
static bool facts_of_type(const struct findings_filter *k, size_t variant, size_t i, struct facts *out)
{
	const struct device_type *type = device_type_nth(i);
	const struct variant *v = &k->selection->plan.item[variant];

	*out = k->facts;
	if (!k->devices)
		return i == 0;
	out->device = type->name;
	return device_words_have(v->devices ? v->devices : k->devices, v->hosts, type);
}

static bool ask(const struct findings_filter *k, size_t variant, enum facts_question question, const struct finding *d,
		const char *name, const char *complaint)
{
	const bool all = question == FACTS_ALL_APPLY;
	struct facts facts;
	size_t i;

	for (i = 0; device_type_nth(i); i++)
		if (facts_of_type(k, variant, i, &facts) &&
		    facts_ask(&k->machines, &facts, question, d, name, complaint) != all)
			return !all;
	return all;
}

static bool applies(const struct findings_filter *k, size_t variant, const struct finding *d, const char *name)
{
	return ask(k, variant, FACTS_APPLY, d, name, NULL);
}

static bool is_explained(const struct findings_filter *k, const char *name,
			 const struct seen_failure *f)
{
	const struct finding *d;
	size_t n;

	for (n = 0; n < k->list->count; n++) {
		d = &k->list->item[n];
		if (applies(k, k->variant, d, name) && explains(d, name, f))
			return true;
	}
	return false;
}

/*
 * Whether there was a failure, and an entry for each step that failed. One entry is
 * enough for all wrong fields of an answer, because they mostly have the same cause. A
 * death needs its own entry.
 */
static bool all_explained(const struct findings_filter *k, const char *name)
{
	bool explained = k->failure_count > 0;
	size_t i, n;

	for (i = 0; i < k->failure_count && explained; i++) {
		explained = false;
		for (n = 0; n < k->failure_count && !explained; n++)
			explained = may_explain(name, &k->failure[n], &k->failure[i]) &&
				    is_explained(k, name, &k->failure[n]);
	}
	return explained;
}

static void set_verdict(struct value *event, enum verdict verdict, const struct text *reason)
{
	value_set_string(event, "verdict", verdict_name(verdict));
	value_set_string(event, "reason", reason->s);
}

/* Adds the finding to the reason, and its name to the event. */
static void add_reason(struct value *event, struct text *reason, const struct finding *d)
{
	auto_free char *clauses = finding_clauses(d);

	text_addf(reason, "%s%s %s: %s%s%s (measured: %s)", reason->s ? "; " : "",
		  finding_kind_titles[d->kind], d->name, clauses ? clauses : "", clauses ? ": " : "",
		  d->what, d->measured);
	if (!event_has(event, "findings"))
		value_set(event, "findings", value_list());
	value_append(value_get(event, "findings"), value_string(d->name));
}

static bool has_round(const struct variant *v, const char *pattern)
{
	size_t i;

	for (i = 0; i < v->item_count; i++)
		if (v->items[i].origin.round && match_name(pattern, v->items[i].origin.round))
			return true;
	return false;
}

/* Whether the finding says that a step of this variant fails each time. */
static bool has_to_show(const struct findings_filter *k, const struct finding *d, const char *name)
{
	const struct variant *v = &k->selection->plan.item[k->variant];
	const struct finding_symptom *p;
	size_t i;

	for (i = 0; i < d->symptom_count; i++) {
		p = &d->symptom[i];
		if (finding_symptom_has(p, name, false) && (!p->round || has_round(v, p->round)))
			return true;
	}
	return false;
}

/* True if a finding says that the variant fails, and it passed; the verdict is then XPASS. */
static bool report_missing(struct findings_filter *k, const char *name, struct value *event)
{
	struct text reason auto_text = {0};
	const struct finding *d;
	size_t i;

	for (i = 0; i < k->list->count; i++) {
		d = &k->list->item[i];
		if (ask(k, k->variant, FACTS_ALL_APPLY, d, name, NULL) && has_to_show(k, d, name) &&
		    !explains_any(k, d, name))
			text_addf(&reason, "%s%s:%d:%d: the finding says that this fails (%s), but it "
				  "passes: delete the entry", reason.s ? "; " : "", d->file,
				  d->pos.line, d->pos.col, d->what);
	}
	if (reason.s)
		set_verdict(event, VERDICT_XPASS, &reason);
	return reason.s;
}

static bool ran_to_its_end(const struct findings_filter *k)
{
	return k->steps == k->selection->plan.item[k->variant].item_count;
}

/* Adds the findings that describe a failure of the variant. */
static void add_explanations(const struct findings_filter *k, const char *name,
			     struct value *event, struct text *reason)
{
	const struct finding *d;
	size_t i;

	for (i = 0; i < k->list->count; i++) {
		d = &k->list->item[i];
		if (applies(k, k->variant, d, name) && explains_any(k, d, name))
			add_reason(event, reason, d);
	}
}

static void excuse(struct findings_filter *k, const char *name, struct value *event)
{
	struct text reason auto_text = {0};

	if (!all_explained(k, name) || (ran_to_its_end(k) && report_missing(k, name, event)))
		return;
	add_explanations(k, name, event, &reason);
	set_verdict(event, VERDICT_XFAIL, &reason);
}

/* The finding that describes @complaint, or NULL. */
static const struct finding *find_complaint(const struct findings_filter *k, const char *name,
					    const char *complaint)
{
	size_t i;

	for (i = 0; k->list && i < k->list->count; i++)
		if (ask(k, k->variant, FACTS_FORESEE, &k->list->item[i], name, complaint))
			return &k->list->item[i];
	return NULL;
}

/* When the kernel of one host ends, the other host goes on for a moment and gets wrong answers. The end explains them. */
static bool kernel_ended(const struct findings_filter *k, const struct value *complaints)
{
	size_t i;

	for (i = 0; k->machines.count > 1 && complaints && i < complaints->list.count; i++)
		if (strstr(complaints->list.item[i]->s, "Kernel panic"))
			return true;
	return false;
}

/*
 * Gives XFAIL if all steps passed or failed as expected, and findings describe every
 * complaint of the kernel. A crash of the kernel is one complaint.
 */
static void excuse_complaints(struct findings_filter *k, const char *name, struct value *event)
{
	const struct value *list = event_strings(event, "complaints");
	const struct finding *d, *last = NULL;
	struct text reason auto_text = {0};
	size_t i;

	if (k->failure_count && !all_explained(k, name) && !kernel_ended(k, list))
		return;
	for (i = 0; list && i < list->list.count; i++)
		if (!find_complaint(k, name, list->list.item[i]->s))
			return;
	add_explanations(k, name, event, &reason);
	for (i = 0; list && i < list->list.count; i++) {
		d = find_complaint(k, name, list->list.item[i]->s);
		if (d != last && !explains_any(k, d, name))
			add_reason(event, &reason, d);
		last = d;
	}
	if (last)
		set_verdict(event, VERDICT_XFAIL, &reason);
}

/* A complaint between two variants belongs to no verdict, so the event itself is marked. */
static void filter_kernel(struct findings_filter *k, struct value *event)
{
	auto_free char *name = NULL;
	const struct finding *d;

	if (!k->list || !event_flag(event, "bad"))
		return;
	name = repeat_plain(k->selection->plan.item[k->variant].name);
	d = find_complaint(k, name, event_string(event, "text"));
	if (d)
		value_set_string(event, "known", d->name);
}

static void filter_verdict(struct findings_filter *k, struct value *event)
{
	auto_free char *name = repeat_plain(event_name(event));
	enum verdict verdict = event_verdict(event);

	if (!k->list)
		return;
	if (verdict == VERDICT_PASS)
		report_missing(k, name, event);
	else if (verdict == VERDICT_FAIL)
		excuse(k, name, event);
	else if (verdict == VERDICT_ERROR)
		excuse_complaints(k, name, event);
}

static void add_known(struct value **list, const struct finding *d, const char *name)
{
	const struct finding_symptom *p;
	struct value *m;
	size_t i;

	for (i = 0; i < d->symptom_count; i++) {
		p = &d->symptom[i];
		if (!p->field || !match_name(p->scenario, name))
			continue;
		m = value_map();
		value_set_string(m, "field", p->field);
		if (p->step)
			value_set_string(m, "step", p->step);
		if (p->got)
			value_set_string(m, "got", p->got);
		if (p->round)
			value_set_string(m, "round", p->round);
		if (!*list)
			*list = value_list();
		value_append(*list, m);
	}
}

/* A finding whose crash may come in any scenario ("*") is rare, so it leaves out none of them. */
static bool crashes(const struct finding *d, const char *name)
{
	const struct finding_symptom *p;
	size_t i;

	for (i = 0; d->severity == FINDING_CRASH && i < d->symptom_count; i++) {
		p = &d->symptom[i];
		if (p->complaint && strcmp(p->scenario, "*") != 0 && match_name(p->scenario, name))
			return true;
	}
	return false;
}

void findings_filter_describe(const struct findings_filter *k, size_t variant, struct value *line)
{
	const char *root = k->selection->root_of[variant];
	auto_free char *name = repeat_plain(k->selection->plan.item[variant].name);
	const struct findings *list = root ? list_of(k, root) : NULL;
	const struct finding *d;
	struct value *known = NULL;
	size_t i;

	for (i = 0; list && i < list->count; i++) {
		d = &list->item[i];
		if (applies(k, variant, d, name))
			add_known(&known, d, name);
		if (k->spares_kernel && crashes(d, name) && (k->any_kernel || ask(k, variant, FACTS_HOLD, d, name, NULL)))
			value_set_string(line, "crashes", d->name);
	}
	if (known)
		value_set(line, "known", known);
}

void findings_filter_event(struct findings_filter *k, struct value *event)
{
	if (event_is(event, "layout")) {
		free(k->layout);
		k->layout = xstrdup(event_string(event, "layout"));
		k->facts.layout = k->layout;
	} else if (event_is(event, "machine")) {
		machines_facts_take(&k->machines, event);
	} else if (event_is(event, "scenario")) {
		begin_scenario(k, event_variant(event));
	} else if (event_is(event, "step")) {
		k->steps = (size_t)event_integer(event, "index") + 1;
	} else if (event_is(event, "fail")) {
		keep_failure(k, event);
	} else if (event_is(event, "kernel")) {
		filter_kernel(k, event);
	} else if (event_is(event, "verdict")) {
		filter_verdict(k, event);
	}
}
