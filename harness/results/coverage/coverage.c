/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "coverage/codes.h"
#include "event/read.h"
#include "names/abilities.h"
#include "names/device-types.h"
#include "plan/require.h"
#include "runs/stored.h"

/* The hardest to meet is first. */
static const struct {
	const char *need, *remedy;
} remedies[] = {
	{"call=vbm_cancel", "needs libverbatim (no rdma-core has vbm_cancel)"},
	{"call=rdma_resolve_addrinfo",
	 "needs a newer rdma-core (60 has rdma_resolve_addrinfo) and a kernel that works with it"},
	{"call=ibv_wr_flush",
	 "needs a build with the headers of a newer rdma-core (46 has ibv_wr_flush)"},
};

static size_t rank(const char *need)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(remedies) && strcmp(remedies[i].need, need) != 0; i++)
		;
	return i;
}

char *coverage_lacking_remedy(const char *need)
{
	size_t i = rank(need);
	struct require r;

	if (i < ARRAY_SIZE(remedies))
		return xstrdup(remedies[i].remedy);
	if (require_parse(&r, need, NULL) < 0 || !strcmp(r.capability->name, "call"))
		return xstrdup("needs a target that has the call");
	if (!strcmp(r.capability->name, "can") && r.op == REQUIRE_EQ)
		return xasprintf("needs devices with %.*s", (int)strcspn(ability_what(r.value), ";"), ability_what(r.value));
	return xasprintf("needs %s", need);
}

/* Whether @facts have the fact that the condition is about. */
static bool has_fact(const struct require *r, const struct facts *facts)
{
	const char *name = r->capability->name;

	return (!strcmp(name, "call") && facts->call) || (!strcmp(name, "can") && facts->can) ||
	       (!strcmp(name, "device") && facts->device);
}

static bool is_lacking(const char *need, const struct facts *facts)
{
	auto_free char *why = NULL;
	struct require r;

	return require_parse(&r, need, NULL) == 0 && has_fact(&r, facts) && !require_holds(&r, facts, &why);
}

const char *coverage_lacking_variant(const struct variant *v, const struct facts *facts)
{
	const char *found = NULL, *need;
	size_t i;

	for (i = 0; i < v->needs->list.count; i++) {
		need = v->needs->list.item[i]->s;
		if (is_lacking(need, facts) && (!found || rank(need) < rank(found)))
			found = need;
	}
	return found;
}

const char *cover_name(enum cover cover)
{
	static const char *const name[COVER_COUNT] = {
		[COVER_SHOWN] = "covered",
		[COVER_DIFFERS] = "differs",
		[COVER_DEVIATES] = "deviates",
		[COVER_ONE_OF] = "one-of",
		[COVER_FORCED] = "forced",
		[COVER_STATIC] = "static",
		[COVER_UNREACHABLE] = "unreachable",
		[COVER_MISSING] = "missing",
	};

	return name[cover];
}

/* Whether the value is in @result, the result of a step. */
static bool result_has(const struct value *result, const struct code_use *use)
{
	const struct value *v;
	size_t i;

	if (result->type == VALUE_LIST)
		for (i = 0; i < result->list.count; i++)
			if (result_has(result->list.item[i], use))
				return true;
	if (result->type != VALUE_MAP)
		return false;
	v = use->field ? value_get(result, use->field) : NULL;
	if (v && v->type == VALUE_INT && v->i == use->value)
		return true;
	for (i = 0; i < result->map.count; i++)
		if (result_has(result->map.member[i].value, use))
			return true;
	return false;
}

/* The evidence is a file of the user, so nothing about its lines is certain. */
static bool line_has(const char *line, const struct code_use *use)
{
	auto_value struct value *event = json_read(line, strlen(line), NULL);
	struct vbm_error err;

	return event && event_check_any(event, &err) == 0 && event_is(event, "step") &&
	       event_integer(event, "index") == (int64_t)use->item &&
	       result_has(event_any(event, "result"), use);
}

/*
 * Whether the expected value @use is in the answer that the evidence of @run keeps of that
 * item of @v. False when the evidence of @v is not there.
 */
static bool came_use(const struct stored_run *run, const struct variant *v, const struct code_use *use)
{
	const struct stored_variant *row = stored_find(run, v->name);
	auto_free char *path = NULL, *text = NULL;
	char *rest, *line;

	if (!run->dir || !row || !row->folder)
		return false;
	path = xasprintf("%s/%s/events.jsonl", run->dir, row->folder);
	text = text_of_file(path, NULL);
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (line_has(line, use))
			return true;
	return false;
}

/* How a verdict counts; COVER_MISSING if it shows nothing. */
static enum cover of_verdict(enum verdict v)
{
	return v == VERDICT_PASS ? COVER_SHOWN : v == VERDICT_XFAIL ? COVER_DEVIATES : COVER_MISSING;
}

struct coverage_maker {
	struct coverage *out;
	const struct survey *survey;
	const char *target;
	const struct device_type *device;
	struct facts facts;			/* of the calls and devices, as far as they are known */
	const struct stored_run *from;
	const struct scenario *scenario;	/* the scenario that is being added */
	const struct variant *variant;
	enum cover cover;			/* how the scenario or its variant counts */
};

static enum cover of_finding(const struct finding *d, enum cover without)
{
	if (!d)
		return without;
	return d->kind == FINDING_DIFFERENCE || d->kind == FINDING_OTHER ? COVER_DIFFERS :
									   COVER_DEVIATES;
}

static enum cover variant_counts(const struct coverage_maker *m, const struct variant *v)
{
	enum cover cover;

	if (m->from) {
		cover = of_verdict(stored_verdict_of(m->from, v->name));
		return cover != COVER_DEVIATES ? cover :
		       of_finding(survey_finding(m->survey, v->name, NULL), cover);
	}
	if (!survey_variant_fits_target(v, m->target))
		return COVER_MISSING;
	if (m->device)
		return of_finding(survey_finding_of_devices(m->survey, v, m->target, m->device), COVER_SHOWN);
	return m->target ? of_finding(survey_finding(m->survey, v->name, m->target), COVER_SHOWN) :
			   COVER_SHOWN;
}

static bool went_wrong(const struct coverage_maker *m, const struct variant *v)
{
	enum verdict verdict = m->from ? stored_verdict_of(m->from, v->name) : VERDICT_COUNT;

	return verdict != VERDICT_COUNT && verdict != VERDICT_SKIP &&
	       of_verdict(verdict) == COVER_MISSING;
}

/* A scenario shows a clause only if no variant that names the clause failed. */
static bool clause_failed(const struct coverage_maker *m, const char *clause)
{
	const struct plan *plan = &m->scenario->plan;
	size_t i;

	for (i = 0; i < plan->count; i++)
		if (survey_variant_names_clause(&plan->item[i], clause) && went_wrong(m, &plan->item[i]))
			return true;
	return false;
}

/* The codes of a variant count if its clauses count; without a clause, if the scenario counts. */
static bool codes_failed(const struct coverage_maker *m, const struct variant *v)
{
	const struct plan *plan = &m->scenario->plan;
	size_t i;

	for (i = 0; i < v->clauses->list.count; i++)
		if (clause_failed(m, v->clauses->list.item[i]->s))
			return true;
	for (i = 0; !v->clauses->list.count && i < plan->count; i++)
		if (went_wrong(m, &plan->item[i]))
			return true;
	return false;
}

static void row_add(struct cover_row *row, const struct coverage_maker *m, enum cover cover)
{
	if (cover == COVER_ONE_OF && row->cover < cover)
		return;
	/* The scenarios so far only allow it. */
	if (row->cover == COVER_ONE_OF && cover < row->cover)
		row->scenario_count = 0;
	if (cover < row->cover)
		row->cover = cover;
	if (row->scenario_count &&
	    !strcmp(row->scenario[row->scenario_count - 1], m->scenario->id))
		return;
	GROW(row->scenario, row->scenario_count);
	row->scenario[row->scenario_count++] = m->scenario->id;
}

static void add_clauses(const struct coverage_maker *m, const struct variant *v)
{
	struct coverage *c = m->out;
	const char *name;
	size_t i, k;

	for (i = 0; i < v->clauses->list.count; i++) {
		name = v->clauses->list.item[i]->s;
		for (k = 0; k < c->clause_count; k++)
			if (!strcmp(c->clause[k].name, name) && !clause_failed(m, name))
				row_add(&c->clause[k], m, m->cover);
	}
}

static void add_use(void *arg, const struct code_use *use)
{
	const struct coverage_maker *m = arg;
	enum cover cover = m->cover;
	size_t i;

	for (i = 0; i < m->out->code_count; i++) {
		if (!code_is(&m->out->codes.item[i], use))
			continue;
		if (use->alternative && !(m->from && came_use(m->from, m->variant, use)))
			cover = COVER_ONE_OF;
		row_add(&m->out->code[i], m, cover);
	}
}

static void lack_use(void *arg, const struct code_use *use)
{
	const struct coverage_maker *m = arg;
	size_t i;

	for (i = 0; i < m->out->code_count; i++)
		if (code_is(&m->out->codes.item[i], use))
			m->out->code[i].lacks = coverage_lacking_variant(m->variant, &m->facts);
}

/* The variant would show its clauses and codes if the target had all calls, and the devices all abilities. */
static bool lacks_something(struct coverage_maker *m, const struct variant *v)
{
	const char *lacks = m->from ? NULL : coverage_lacking_variant(v, &m->facts);
	size_t i;

	if (!lacks)
		return false;
	for (i = 0; i < m->out->clause_count; i++)
		if (survey_variant_names_clause(v, m->out->clause[i].name))
			m->out->clause[i].lacks = lacks;
	uses_collect(v, lack_use, m);
	return true;
}

static void drop_lacks(struct cover_row *row, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (row[i].cover != COVER_MISSING)
			row[i].lacks = NULL;
}

static void add_scenario(struct coverage_maker *m, const struct surveyed *item)
{
	const struct variant *v;
	bool counts = false;
	size_t i;

	m->scenario = item->scenario;
	for (i = 0; i < item->scenario->plan.count; i++) {
		v = &item->scenario->plan.item[i];
		m->variant = v;
		m->cover = variant_counts(m, v);
		if (m->cover == COVER_MISSING || lacks_something(m, v))
			continue;
		add_clauses(m, v);
		if (codes_failed(m, v))
			continue;
		uses_collect(v, add_use, m);
		counts = true;
	}
	m->out->scenario_count += counts;
}

static void take_note(struct cover_row *row, const struct survey *s, const char *target)
{
	static const enum cover of_kind[NOTE_KINDS] = {
		[NOTE_FORCED] = COVER_FORCED,
		[NOTE_STATIC] = COVER_STATIC,
		[NOTE_UNREACHABLE] = COVER_UNREACHABLE,
	};

	if ((row->cover != COVER_MISSING && row->cover != COVER_ONE_OF) || row->call)
		return;
	row->note = coverage_note_find(&s->notes, row->name, target);
	if (row->note)
		row->cover = of_kind[row->note->kind];
}

/* A note about a clause also covers the errno that the clause names for a call. */
static void take_clause(struct cover_row *row, const struct coverage *c, const char *clause)
{
	size_t i;

	for (i = 0; row->cover == COVER_MISSING && i < c->clause_count; i++)
		if (!strcmp(c->clause[i].name, clause) && c->clause[i].note) {
			row->cover = c->clause[i].cover;
			row->note = c->clause[i].note;
		}
}

/* A clause of the shipped suite gets a row only if a scenario or a note of this suite names it. */
static bool is_named(const struct survey *s, size_t at)
{
	const char *id = s->clauses.item[at].id;
	size_t i;

	if (at < s->clauses.own || coverage_note_find(&s->notes, id, NULL))
		return true;
	for (i = 0; i < s->count; i++)
		if (survey_scenario_names_clause(s->item[i].scenario, id))
			return true;
	return false;
}

static void make_rows(struct coverage *out, const struct survey *s)
{
	const struct clause *clause;
	const struct code *code;
	size_t i;

	codes_make(&out->codes);
	out->clause = xcalloc(s->clauses.count + 1, sizeof(*out->clause));
	for (i = 0; i < s->clauses.count; i++) {
		if (!is_named(s, i))
			continue;
		clause = &s->clauses.item[i];
		out->clause[out->clause_count++] = (struct cover_row){
			.name = clause->id, .group = clause->area, .text = clause->statement,
			.cover = COVER_MISSING,
		};
	}
	out->code_count = out->codes.count;
	out->code = xcalloc(out->codes.count + 1, sizeof(*out->code));
	for (i = 0; i < out->codes.count; i++) {
		code = &out->codes.item[i];
		out->code[i] = (struct cover_row){
			.name = code->name, .group = code->group, .call = code->call,
			.cover = COVER_MISSING,
		};
	}
}

void coverage_make(struct coverage *out, const struct survey *s, const struct cover_filter *filter)
{
	static const struct cover_filter all;
	const struct cover_filter *f = filter ? filter : &all;
	const char *target = f->target;
	struct coverage_maker m = {
		.out = out, .survey = s, .target = target, .device = f->device, .from = f->from,
		.facts = {
			.call = f->calls, .device = f->device ? f->device->name : NULL,
			.can = f->device ? f->device->can : NULL,
		},
	};
	size_t i;

	*out = (struct coverage){.mutants = &s->mutants, .statements = &s->statements};
	make_rows(out, s);
	for (i = 0; i < s->count; i++)
		add_scenario(&m, &s->item[i]);
	for (i = 0; i < out->clause_count; i++)
		take_note(&out->clause[i], s, target);
	for (i = 0; i < out->code_count; i++) {
		take_note(&out->code[i], s, target);
		if (out->codes.item[i].clause)
			take_clause(&out->code[i], out, out->codes.item[i].clause);
	}
	drop_lacks(out->clause, out->clause_count);
	drop_lacks(out->code, out->code_count);
}

const struct cover_row *coverage_clause(const struct coverage *c, const char *id)
{
	size_t i;

	for (i = 0; i < c->clause_count; i++)
		if (!strcmp(c->clause[i].name, id))
			return &c->clause[i];
	return NULL;
}

void coverage_fini(struct coverage *c)
{
	size_t i;

	for (i = 0; i < c->clause_count; i++)
		free(c->clause[i].scenario);
	for (i = 0; i < c->code_count; i++)
		free(c->code[i].scenario);
	free(c->clause);
	free(c->code);
	codes_fini(&c->codes);
	*c = (struct coverage){0};
}

size_t cover_tally(const struct cover_row *row, size_t count, const char *group,
		   enum cover cover)
{
	size_t i, n = 0;

	for (i = 0; i < count; i++)
		if ((!group || !strcmp(row[i].group, group)) && row[i].cover == cover)
			n++;
	return n;
}
