/* SPDX-License-Identifier: BSD-2-Clause */
/* Emits the events about a variant's steps, and decides its verdict. */
#include "job-run/execution.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/match.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "fabric/fabric.h"
#include "job/state.h"

void execution_decide(struct execution *x, enum verdict verdict, char *reason)
{
	x->out->verdict = verdict;
	free(x->out->reason);
	x->out->reason = reason;
}

/* The position in the scenario's file that stands for @pos. */
static struct pos in_scenario(const struct item *item, struct pos pos)
{
	return pos.file || !pos.line ? item->origin.pos : pos;
}

void execution_tell_step(struct execution *x, const struct call *call, bool ok)
{
	struct value *event = item_event(x->emit, "step", x->v, call->item, call->ended_ns);
	struct text reason = {0};

	value_set_int(event, "index", call->item - x->v->items);
	value_set(event, "args", call->bound.args ? value_dup(call->bound.args) : value_map());
	item_event_set_result(event, call->item, call->result);
	value_set_int(event, "us", (call->ended_ns - call->began_ns) / 1000);
	value_set_bool(event, "ok", ok);
	if (call->tries > 1)
		value_set_int(event, "tries", call->tries);
	if (call->broke && x->out->verdict == VERDICT_PASS) {
		event_add_position(&reason, event, x->v->path);
		text_addf(&reason, ": %s", call->err.msg);
		execution_decide(x, VERDICT_ERROR, reason.s);
	}
	emit_take(x->emit, event);
}

/* Adds the position in the fragment, if the expectation is there. */
static void set_fragment_pos(struct value *event, const struct item *item, struct pos pos)
{
	const struct origin *o = &item->origin;

	if (o->fragment && pos.file && pos.file == o->fragment_pos.file)
		value_set(event, "fragment",
			  value_format_string("%s:%d:%d", o->fragment, pos.line, pos.col));
}

/* Whether a known failure of the variant describes this failure. */
static bool is_known(const struct execution *x, const struct item *item, const struct mismatch *m)
{
	auto_free char *step = xasprintf("%s.%s", x->v->actors[item->actor].name, item->kind->name);
	size_t i;

	for (i = 0; x->v->known && i < x->v->known->list.count; i++) {
		const struct value *k = x->v->known->list.item[i];

		if (!strcmp(event_string(k, "field"), m->field) &&
		    !strcmp(event_string_or(k, "step", step), step) &&
		    match_name(event_string_or(k, "got", "*"), m->actual) &&
		    match_name(event_string_or(k, "round", "*"),
				 item->origin.round ? item->origin.round : ""))
			return true;
	}
	return false;
}

bool execution_any_known(const struct execution *x, const struct item *item,
			 const struct mismatches *wrong)
{
	size_t i;

	for (i = 0; i < wrong->count; i++)
		if (is_known(x, item, &wrong->item[i]))
			return true;
	return false;
}

void execution_tell_fail(struct execution *x, const struct item *item,
			 const struct mismatch *m, int outcome)
{
	struct value *event = item_event(x->emit, "fail", x->v, item, clock_now_ns());
	struct pos pos = in_scenario(item, m->pos);
	struct text reason = {0};

	value_set_int(event, "index", item - x->v->items);
	value_set_int(event, "line", pos.line);
	value_set_int(event, "col", pos.col);
	set_fragment_pos(event, item, m->pos);
	value_set_string(event, "field", m->field);
	value_set_string(event, "expected", m->expected);
	value_set_string(event, "actual", m->actual);
	if (outcome) {
		value_set_int(event, "either", item->either);
		value_set_int(event, "outcome", outcome);
	}
	if (x->out->verdict == VERDICT_PASS || x->new_reason) {
		event_add_fail(&reason, event, x->v->path);
		execution_decide(x, VERDICT_FAIL, reason.s);
		x->new_reason = false;
	}
	emit_take(x->emit, event);
}

void execution_tell_state(struct execution *x, const struct state *since)
{
	auto_free struct state *now = state_take(x->on.fabric);
	struct value *event;
	int h;

	for (h = 0; h < now->hosts; h++) {
		auto_text struct text text = {0};

		/* A host without an RDMA device has no state. */
		if (!*fabric_host(x->on.fabric, h)->dev || *now->host[h].err.msg)
			continue;
		state_add_host(&text, x->on.fabric, h, since, now);
		event = emit_new(x->emit, "log");
		value_set_int(event, "variant", (int64_t)x->v->number);
		value_set_string(event, "name", x->v->name);
		value_set_string(event, "host", fabric_host(x->on.fabric, h)->name);
		value_set(event, "text", value_format_string("when it failed:\n%s", text.s));
		emit_take(x->emit, event);
	}
}
