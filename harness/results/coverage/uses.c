/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <verbatim/qp.h>

#include "base/xalloc.h"
#include "codec/opcode.h"
#include "codec/pattern.h"
#include "coverage/codes.h"
#include "names/consts.h"
#include "names/packet-rules.h"
#include "step/step.h"

const struct const_set uses_edge_set = {.name = "qp_edge", .prefix = ""};

/* The state of a queue pair after the items so far. */
struct tracked {
	int actor;
	const char *name;
	enum ibv_qp_type type;
	enum ibv_qp_state state;
};

struct edges_tracker {
	struct tracked *qp;	/* owned */
	size_t count;
	code_use_fn *fn;
	void *arg;
};

char *uses_edge_name(size_t index)
{
	const struct vbm_qp_transition *t;
	size_t count;

	t = vbm_qp_transitions(&count);
	if (index >= count)
		return NULL;
	return xasprintf("%s:%s-%s", const_name(&const_qp_type, t[index].qp_type),
			 const_name(&const_qp_state, t[index].from),
			 const_name(&const_qp_state, t[index].to));
}

static bool is_step(const struct item *item, const char *name)
{
	return strcmp(item->kind->name, name) == 0;
}

/* Whether the item expects the call to succeed. */
static bool succeeds(const struct item *item)
{
	const struct value *want = value_get(item->expect, "return");

	if (item->outcomes || item->mode == ITEM_NOTHING || item->death > 0)
		return false;
	return !want || (want->type == VALUE_INT && want->i == item->kind->ok);
}

/* The queue pair of a modify_qp: the named one, or the last one of the process. */
static struct tracked *find_queue_pair(const struct edges_tracker *t, const struct item *item)
{
	const char *name = value_get_string(item->args, "qp", NULL);
	size_t i;

	for (i = t->count; i > 0; i--)
		if (t->qp[i - 1].actor == item->actor &&
		    (!name || strcmp(t->qp[i - 1].name, name) == 0))
			return &t->qp[i - 1];
	return NULL;
}

static void create(struct edges_tracker *t, const struct item *item)
{
	GROW(t->qp, t->count);
	t->qp[t->count++] = (struct tracked){
		.actor = item->actor,
		.name = item->as ? item->as : step_default_name(OBJECT_QP),
		.type = (enum ibv_qp_type)value_get_int(item->args, "qp_type", IBV_QPT_RC),
		.state = IBV_QPS_RESET,
	};
}

/* Applies a successful call with the parameters @args. */
static void apply_transition(struct edges_tracker *t, const struct item *item, struct tracked *q,
			     const struct value *args)
{
	const struct vbm_qp_transition *table = vbm_qp_transitions(NULL), *edge;
	struct code_use use = {.set = &uses_edge_set, .call = item->kind->call, .named = true};
	enum ibv_qp_state to = (enum ibv_qp_state)value_get_int(args, "state", q->state);

	edge = vbm_qp_transition(q->type, q->state, to);
	if (edge) {
		use.value = edge - table;
		t->fn(t->arg, &use);
	}
	q->state = to;
}

static void modify(struct edges_tracker *t, const struct item *item)
{
	struct tracked *q = find_queue_pair(t, item);

	if (q && succeeds(item))
		apply_transition(t, item, q, item->args);
}

/* The calls of "start" always succeed; if not, the step is an error. */
static void try_modify(struct edges_tracker *t, const struct item *item)
{
	const struct value *start = value_get(item->args, "start");
	struct tracked *q = find_queue_pair(t, item);
	size_t i;

	if (!q)
		return;
	q->state = IBV_QPS_RESET;
	for (i = 0; start && i < start->list.count; i++)
		apply_transition(t, item, q, start->list.item[i]);
	modify(t, item);
}

void uses_edges_collect(const struct variant *v, code_use_fn *fn, void *arg)
{
	struct edges_tracker t = {.fn = fn, .arg = arg};
	size_t i;

	for (i = 0; i < v->item_count; i++) {
		if (is_step(&v->items[i], "create_qp") && succeeds(&v->items[i]))
			create(&t, &v->items[i]);
		else if (is_step(&v->items[i], "modify_qp"))
			modify(&t, &v->items[i]);
		else if (is_step(&v->items[i], "try_modify_qp"))
			try_modify(&t, &v->items[i]);
	}
	free(t.qp);
}

const struct const_set uses_crossing_set = {.name = "packet_fault", .prefix = ""};
const struct const_set uses_crossing_message_set = {.name = "cm_message", .prefix = ""};

/* The faults: "sent" for a packet that a step has made, and then one for each kind of rule. */
#define FAULTS (1 + RULE_ACTIONS)

enum { MESSAGE_SENT, MESSAGE_SEEN, MESSAGE_LOST, MESSAGE_WAYS };
static const char *const ways[MESSAGE_WAYS] = {
	[MESSAGE_SENT] = "sent", [MESSAGE_SEEN] = "seen", [MESSAGE_LOST] = "lost",
};

/* Whether it is an operation of RC, UC or UD. */
static bool counts(const struct const_entry *e)
{
	struct opcode op;

	return *opcode_transport((uint8_t)e->value) && opcode_find((uint8_t)e->value, &op);
}

/* The entry number @nth among those that count. */
static const struct const_entry *operation(size_t nth)
{
	size_t i;

	for (i = 0; i < const_packet_opcode.count; i++)
		if (counts(&const_packet_opcode.entry[i]) && nth-- == 0)
			return &const_packet_opcode.entry[i];
	return NULL;
}

char *uses_crossing_name(size_t index)
{
	const struct const_entry *e = operation(index / FAULTS);
	const char *fault = index % FAULTS ? rule_kinds[index % FAULTS - 1].step : "sent";

	return e ? xasprintf("%s:%.*s", e->name, (int)strcspn(fault, "_"), fault) : NULL;
}

char *uses_crossing_message_name(size_t index)
{
	size_t i = index / MESSAGE_WAYS;

	return i < const_cm_message.count ? xasprintf("%s:%s", const_cm_message.entry[i].name, ways[index % MESSAGE_WAYS]) :
					    NULL;
}

struct collecting {
	const struct item *item;
	code_use_fn *fn;
	void *arg;
};

static void report_crossing(const struct collecting *c, const struct const_set *set, size_t value)
{
	const struct code_use use = {.set = set, .call = c->item->kind->call, .value = (int64_t)value, .named = true};

	c->fn(c->arg, &use);
}

static void report_operation(const struct collecting *c, uint8_t opcode, size_t fault)
{
	const struct const_entry *e;
	size_t i;

	for (i = 0; (e = operation(i)); i++)
		if (e->value == opcode)
			report_crossing(c, &uses_crossing_set, i * FAULTS + fault);
}

static void report_message(const struct collecting *c, int64_t message, int way)
{
	size_t i;

	for (i = 0; i < const_cm_message.count; i++)
		if (const_cm_message.entry[i].value == message)
			report_crossing(c, &uses_crossing_message_set, i * MESSAGE_WAYS + (size_t)way);
}

/* The words that have a value before the scenario runs. */
static void read_words(struct pattern *p, const struct value *args)
{
	const struct value *is = value_get(args, "is");
	size_t i;

	for (i = 0; is && is->type == VALUE_LIST && i < is->list.count; i++)
		if (is->list.item[i]->type == VALUE_STRING)
			pattern_add(p, is->list.item[i]->s, NULL);
}

static int64_t message_of(const struct pattern *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		if (p->word[i].kind == WORD_MESSAGE)
			return (int64_t)p->word[i].value;
	return 0;
}

static void collect_words(const struct collecting *c, const struct value *args, size_t fault, int way)
{
	struct pattern p = {0};

	read_words(&p, args);
	if (message_of(&p))
		report_message(c, message_of(&p), way);
	if (fault < FAULTS && !message_of(&p))
		report_operation(c, pattern_opcode(&p), fault);
	pattern_fini(&p);
}

static void collect_seen(const struct collecting *c)
{
	const struct value *list = value_get(c->item->args, "list");
	size_t i;

	if (!strcmp(c->item->kind->name, "see_packet"))
		collect_words(c, c->item->args, FAULTS, MESSAGE_SEEN);
	for (i = 0; !strcmp(c->item->kind->name, "see_packets") && list && i < list->list.count; i++)
		collect_words(c, list->list.item[i], FAULTS, MESSAGE_SEEN);
}

/* A value that only the run knows counts for nothing. */
static void collect_sent(const struct collecting *c)
{
	const struct value *opcode = value_get(c->item->args, "opcode"), *message = value_get(c->item->args, "message");

	if (message && message->type == VALUE_INT)
		report_message(c, message->i, MESSAGE_SENT);
	else if (opcode && opcode->type == VALUE_INT)
		report_operation(c, (uint8_t)opcode->i, 0);
}

static void collect_rule(const struct collecting *c)
{
	enum rule_action action = rule_action_of(c->item->kind->name);

	collect_words(c, c->item->args, 1 + action, rule_kinds[action].spoils ? MESSAGE_LOST : MESSAGE_SEEN);
}

void uses_crossings_collect(const struct variant *v, code_use_fn *fn, void *arg)
{
	struct collecting c = {.fn = fn, .arg = arg};
	size_t i;

	for (i = 0; i < v->item_count; i++) {
		c.item = &v->items[i];
		if (c.item->kind->makes == OBJECT_RULE)
			collect_rule(&c);
		else if (!strcmp(c.item->kind->name, "send_packet"))
			collect_sent(&c);
		else
			collect_seen(&c);
	}
}

/* The state of the walk through the expectations of one step. */
struct walk {
	const char *call;
	size_t item;
	const char *field;
	bool alternative;
	code_use_fn *fn;
	void *arg;
};

static void walk_fields(const struct walk *w, const struct field *fields,
			const struct value *expect);

static void found(const struct walk *w, const struct const_set *set, int64_t value, bool named)
{
	const struct code_use use = {
		.set = set, .call = w->call, .value = value, .named = named,
		.alternative = w->alternative, .item = w->item, .field = w->field,
	};

	w->fn(w->arg, &use);
}

static void walk_const(const struct walk *w, const struct field *f, const struct value *v)
{
	int64_t value;

	if (v->type == VALUE_INT)
		found(w, f->set, v->i, v->text != NULL);
	else if (v->type == VALUE_STRING && const_lookup(f->set, v->s, &value))
		found(w, f->set, value, true);
}

static void walk_value(const struct walk *w, const struct field *f, const struct value *v);

static void walk_any(const struct walk *w, const struct field *f, const struct value *any)
{
	struct walk one = *w;
	size_t i;

	if (!any || any->type != VALUE_LIST)
		return;
	one.alternative = w->alternative || any->list.count > 1;
	for (i = 0; i < any->list.count; i++)
		walk_value(&one, f, any->list.item[i]);
}

static void walk_value(const struct walk *w, const struct field *f, const struct value *v)
{
	const struct value *any;
	size_t i;

	if (v->type == VALUE_MAP) {
		walk_any(w, f, value_get(v, "any_of"));
		any = value_get(v, "contains");
		if (any && f->type == FIELD_LIST)
			walk_fields(w, f->sub, any);
	} else if (f->type == FIELD_CONST) {
		walk_const(w, f, v);
	} else if (f->type == FIELD_LIST && v->type == VALUE_LIST) {
		for (i = 0; i < v->list.count; i++)
			walk_fields(w, f->sub, v->list.item[i]);
	}
}

static void walk_fields(const struct walk *w, const struct field *fields,
			const struct value *expect)
{
	struct walk one = *w;
	const struct value *v;

	for (; fields && fields->name; fields++) {
		v = value_get(expect, fields->name);
		one.field = fields->name;
		if (v)
			walk_value(&one, fields, v);
	}
}

static void walk_expect(const struct walk *w, const struct step_kind *kind,
			const struct value *expect)
{
	const struct field *f = kind->fields;

	for (; f && f->name; f++)
		if (!strcmp(f->name, "return") && f->type == FIELD_CONST &&
		    !value_get(expect, "return"))
			found(w, f->set, kind->ok, true);
	walk_fields(w, kind->fields, expect);
}

static void walk_opcodes(const struct walk *w, const struct param *params, const struct value *args)
{
	const struct value *v;
	const struct param *p;
	size_t i;

	for (p = params; p && p->name; p++) {
		v = value_get(args, p->name);
		if (p->set == &const_wr_opcode && p->type == PARAM_CONST && (!v || v->type == VALUE_INT))
			found(w, p->set, v ? v->i : IBV_WR_SEND, true);
		for (i = 0; v && p->type == PARAM_LIST && v->type == VALUE_LIST && i < v->list.count; i++)
			walk_opcodes(w, p->sub, v->list.item[i]);
	}
}

/* An operation that is posted counts if the call may succeed. */
static void walk_posted(const struct walk *w, const struct item *item)
{
	const struct value *want = value_get(item->expect, "return");

	if (!want || (want->type == VALUE_INT && want->i == item->kind->ok))
		walk_opcodes(w, item->kind->params, item->args);
}

/* The uses of all outcomes of an item. */
struct gathered {
	struct code_use use;
	size_t outcomes;	/* how many outcomes have it */
	size_t last;		/* the last one of them, from 1 */
};

struct gather {
	struct gathered *item;	/* owned */
	size_t count;
	size_t outcome;		/* that is walked, from 1 */
};

static void gather_use(void *arg, const struct code_use *use)
{
	struct gather *g = arg;
	struct gathered *at;
	size_t i;

	for (i = 0; i < g->count; i++)
		if (g->item[i].use.set == use->set && g->item[i].use.value == use->value &&
		    g->item[i].use.named == use->named)
			break;
	if (i == g->count) {
		GROW(g->item, g->count);
		g->item[g->count++] = (struct gathered){.use = *use};
	}
	at = &g->item[i];
	at->use.alternative = at->use.alternative || use->alternative;
	at->outcomes += at->last != g->outcome;
	at->last = g->outcome;
}

/* A constant that every outcome has comes in any case; another one is an alternative. */
static void walk_outcomes(const struct walk *w, const struct item *item)
{
	const struct value *list = item->outcomes, *outcome;
	struct gather g = {0};
	struct walk one = *w;
	size_t i;

	one.fn = gather_use;
	one.arg = &g;
	for (i = 0; i < list->list.count; i++) {
		outcome = list->list.item[i];
		g.outcome = i + 1;
		if (outcome->type != VALUE_BOOL)
			walk_expect(&one, item->kind, outcome->type == VALUE_MAP ? outcome : NULL);
	}
	for (i = 0; i < g.count; i++) {
		if (g.item[i].outcomes < list->list.count)
			g.item[i].use.alternative = true;
		w->fn(w->arg, &g.item[i].use);
	}
	free(g.item);
}

static void walk_item(struct walk *w, const struct item *item)
{
	w->call = item->kind->call;
	if (item->mode == ITEM_NOTHING || item->death > 0)
		return;
	if (item->outcomes) {
		walk_outcomes(w, item);
		return;
	}
	walk_expect(w, item->kind, item->expect);
	walk_posted(w, item);
}

void uses_collect(const struct variant *v, code_use_fn *fn, void *arg)
{
	struct walk w = {.fn = fn, .arg = arg};
	size_t i;

	for (i = 0; i < v->item_count; i++) {
		w.item = i;
		walk_item(&w, &v->items[i]);
	}
	uses_edges_collect(v, fn, arg);
	uses_crossings_collect(v, fn, arg);
}
