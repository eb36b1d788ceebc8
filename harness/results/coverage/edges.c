/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/codes.h"

#include <stdlib.h>
#include <string.h>

#include <verbatim/qp.h>

#include "base/xalloc.h"
#include "names/consts.h"
#include "step/step.h"

const struct const_set edge_set = {.name = "qp_edge", .prefix = ""};

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

char *edge_name(size_t index)
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
	struct code_use use = {.set = &edge_set, .call = item->kind->call, .named = true};
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

void edges_collect(const struct variant *v, code_use_fn *fn, void *arg)
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
