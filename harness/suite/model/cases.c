/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/cases.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "model/render.h"

struct model_op case_op(enum model_verb verb, int host, int pair)
{
	return (struct model_op){.verb = verb, .host = host, .pair = pair, .made = -1, .region = -1, .window = -1, .key = -1,
				 .handle = -1, .blocks = 1, .fill = 0x77};
}

void case_prepare(struct model_try *t, struct model_op op)
{
	if (t->prepares < ARRAY_SIZE(t->prepare))
		t->prepare[t->prepares++] = op;
}

void case_probe(struct model_try *t, struct model_op op)
{
	if (t->probes < ARRAY_SIZE(t->probe))
		t->probe[t->probes++] = op;
}

void case_bring(struct model_try *t, int host, int pair, size_t way)
{
	static const struct {
		enum ibv_qp_state state[3];
		int count;
	} ways[CASE_WAYS] = {
		{{IBV_QPS_RESET}, 1}, {{IBV_QPS_RESET, IBV_QPS_INIT}, 2}, {{IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR}, 3},
		{{IBV_QPS_RTS}, 0}, {{IBV_QPS_SQD}, 1}, {{IBV_QPS_ERR}, 1},
	};
	struct model_op op = case_op(VERB_MODIFY, host, pair);
	int i;

	for (i = 0; i < ways[way].count; i++) {
		op.state = ways[way].state[i];
		case_prepare(t, op);
	}
}

/* How many slots the combination uses. */
static int slots_of(const struct model_try *t)
{
	int most = t->tried.made;
	size_t i;

	for (i = 0; i < t->prepares; i++)
		most = t->prepare[i].made > most ? t->prepare[i].made : most;
	return most + 1;
}

static int moved(int slot, int by)
{
	return slot < 0 ? slot : slot + by;
}

static struct model_op shifted(struct model_op op, int by)
{
	op.made = moved(op.made, by);
	op.region = moved(op.region, by);
	op.window = moved(op.window, by);
	op.key = moved(op.key, by);
	op.handle = moved(op.handle, by);
	return op;
}

static bool carry_out(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	if (!model_possible(w, op))
		return false;
	model_predict(w, op, p);
	return true;
}

static enum case_kind kind_of_rule(enum model_rule rule)
{
	switch (rule) {
	case RULE_WINDOW_RANGE:
		return CASE_OUTSIDE;
	case RULE_INVALIDATE_FREE:
	case RULE_INVALIDATE_AGAIN:
	case RULE_SEND_INVALIDATE_FREE:
	case RULE_SEND_INVALIDATE_AGAIN:
		return CASE_UNBOUND;
	case RULE_INVALIDATE_OTHER:
	case RULE_SEND_INVALIDATE_OTHER:
		return CASE_OF_ANOTHER;
	case RULE_POST_REFUSED:
		return CASE_REFUSED;
	case RULE_DRAINED:
		return CASE_WAITS;
	case RULE_RESET_TO_ERR:
		return CASE_FROM_RESET;
	default:
		return CASE_SOUND;
	}
}

static enum case_kind kind_of(const struct model_op *op, const struct model_prediction *p)
{
	const struct model_completion *c = &p->done[0];
	enum case_kind kind = kind_of_rule(p->rule);
	int i;

	for (i = 0; kind == CASE_SOUND && i < p->count; i++)
		kind = kind_of_rule(p->done[i].rule);
	if (kind != CASE_SOUND || !p->count)
		return kind;
	if (op->verb == VERB_POST_RECV)
		return CASE_FLUSHED;
	if (c->statuses && (c->status[0] == IBV_WC_MW_BIND_ERR || c->status[0] == IBV_WC_LOC_QP_OP_ERR))
		return CASE_FAILS;
	return CASE_SOUND;
}

static void add_op(struct model_case *c, struct model_op op)
{
	if (c->count < CASE_OPS)
		c->op[c->count++] = op;
}

static void add_clauses(struct model_case *c, const struct model_prediction *p)
{
	int i;

	if (!c->clauses)
		c->clauses = value_list();
	model_add_clause(c->clauses, p->rule);
	for (i = 0; i < p->count; i++)
		model_add_clause(c->clauses, p->done[i].rule);
}

/* Brings both connections back, so that the next combination begins as the first one did. */
static void reconnect(struct model_case *c, const struct model_world *w)
{
	int n;

	for (n = 0; n < MODEL_PAIRS; n++)
		if (w->pair[0][n].state != IBV_QPS_RTS || w->pair[1][n].state != IBV_QPS_RTS ||
		    !w->pair[0][n].known || !w->pair[1][n].known || w->pair[0][n].own.count || w->pair[1][n].own.count ||
		    w->pair[0][n].used || w->pair[1][n].used)
			add_op(c, case_op(VERB_RECONNECT, 0, n));
}

void case_add(struct model_case *c, const struct model_try *t, enum case_kind kind)
{
	auto_free struct model_world *w = xcalloc(1, sizeof(*w));
	struct model_prediction p;
	struct model_op op = shifted(t->tried, c->slot);
	size_t before = c->count, i;

	model_init(w, MODEL_SOUND);
	for (i = 0; i < t->prepares; i++)
		add_op(c, shifted(t->prepare[i], c->slot));
	for (i = 0; i < c->count; i++)
		if (!carry_out(w, &c->op[i], &p) && i >= before)
			break;
	if (i < c->count || !carry_out(w, &op, &p) || kind_of(&op, &p) != kind) {
		c->count = before;
		return;
	}
	add_op(c, op);
	add_clauses(c, &p);
	for (i = 0; i < t->probes; i++) {
		op = shifted(t->probe[i], c->slot);
		if (carry_out(w, &op, &p))
			add_op(c, op);
	}
	reconnect(c, w);
	c->slot += slots_of(t);
}

/*
 * A device need not have zero-based regions. If it refuses the first call, the steps after that call cannot be tried. They stand
 * in an outcome of "either", where no step can wait ("until").
 */
static struct value *or_refused(struct value *steps)
{
	struct value *list = value_list(), *either = value_map(), *refused = value_list(), *made = value_list(), *outcomes = value_list();
	struct value *expect = value_map(), *first = value_dup(steps->list.item[0]);
	size_t i;

	value_set_string(expect, "return", "NULL");
	value_set_string(expect, "errno", "EOPNOTSUPP");
	value_set(first, "expect", expect);
	value_append(refused, first);
	for (i = 0; i < steps->list.count; i++)
		if (!value_get(steps->list.item[i], "until"))
			value_append(made, value_dup(steps->list.item[i]));
	value_free(steps);
	value_append(outcomes, refused);
	value_append(outcomes, made);
	value_set(either, "either", outcomes);
	value_set_string(either, "why", model_statement(RULE_ZERO_BASED)->silent);
	value_append(list, either);
	return list;
}

void case_row(struct value *rows, struct model_case *c, enum case_kind kind, const char *fmt, ...)
{
	static const char *const names[CASE_KINDS] = {
		[CASE_SOUND] = "", [CASE_FAILS] = "-fails", [CASE_OUTSIDE] = "-outside", [CASE_UNBOUND] = "-unbound",
		[CASE_OF_ANOTHER] = "-of-another", [CASE_WAITS] = "-waits", [CASE_REFUSED] = "-refused",
		[CASE_FLUSHED] = "-flushed", [CASE_FROM_RESET] = "-from-reset",
	};
	struct value *steps, *row;
	auto_free char *label = NULL;
	va_list ap;

	if (c->count) {
		va_start(ap, fmt);
		label = xvasprintf(fmt, ap);
		va_end(ap);
		steps = value_list();
		model_render(c->op, c->count, MODEL_SOUND, steps, NULL);
		if (c->op[0].verb == VERB_REG_MR && c->op[0].way == WAY_ZERO_BASED)
			steps = or_refused(steps);
		row = value_map();
		value_set(row, "case", value_format_string("%s%s", label, names[kind]));
		value_set(row, "clause", c->clauses);
		value_set(row, "steps", steps);
		value_append(rows, row);
	}
	*c = (struct model_case){.count = 0};
}
