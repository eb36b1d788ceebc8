/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <verbatim/qp.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "compile/scenario.h"
#include "litmus/shapes.h"
#include "model/cases.h"
#include "names/consts.h"

/* Only InfiniBand devices have alternate paths. */
#define NEEDS_DEVICE (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)

static const enum ibv_qp_type types[] = {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD};

/* A valid value for each attribute. An attribute without one is passed as 0. */
static const struct attribute {
	int bit;
	const char *args;
} attributes[] = {
	{IBV_QP_CUR_STATE, NULL},
	{IBV_QP_EN_SQD_ASYNC_NOTIFY, "{\"en_sqd_async_notify\": true}"},
	{IBV_QP_ACCESS_FLAGS, "{\"access\": \"REMOTE_WRITE\"}"},
	{IBV_QP_PKEY_INDEX, "{\"pkey_index\": 0}"},
	{IBV_QP_PORT, "{\"port\": \"$a.port\"}"},
	{IBV_QP_QKEY, "{\"qkey\": 4369}"},
	{IBV_QP_AV, "{\"dest_gid\": \"$b.gid\", \"gid_index\": \"$a.gid_index\"}"},
	{IBV_QP_PATH_MTU, "{\"path_mtu\": 1024}"},
	{IBV_QP_TIMEOUT, "{\"timeout\": 14}"},
	{IBV_QP_RETRY_CNT, "{\"retry_cnt\": 7}"},
	{IBV_QP_RNR_RETRY, "{\"rnr_retry\": 7}"},
	{IBV_QP_RQ_PSN, "{\"rq_psn\": 0}"},
	{IBV_QP_MAX_QP_RD_ATOMIC, "{\"max_rd_atomic\": 1}"},
	{IBV_QP_ALT_PATH, NULL},
	{IBV_QP_MIN_RNR_TIMER, "{\"min_rnr_timer\": 12}"},
	{IBV_QP_SQ_PSN, "{\"sq_psn\": 0}"},
	{IBV_QP_MAX_DEST_RD_ATOMIC, "{\"max_dest_rd_atomic\": 1}"},
	{IBV_QP_PATH_MIG_STATE, NULL},
	{IBV_QP_CAP, NULL},
	{IBV_QP_DEST_QPN, "{\"dest_qp_num\": 17}"},
	{IBV_QP_RATE_LIMIT, NULL},
};

/* Values that no device can take, and values above the limits that a device reports. */
static const struct wrong {
	int bit;
	const char *what, *args;
} wrongs[] = {
	{IBV_QP_ACCESS_FLAGS, "an unknown access flag", "{\"access\": 32768}"},
	{IBV_QP_PKEY_INDEX, "a P_Key index beyond the table", "{\"pkey_index\": 65535}"},
	{IBV_QP_PORT, "port 0", "{\"port\": 0}"},
	{IBV_QP_PORT, "a port that the device does not have", "{\"port\": 255}"},
	{IBV_QP_AV, "a GID index beyond the table",
	 "{\"dest_gid\": \"$b.gid\", \"gid_index\": 255}"},
	{IBV_QP_AV, "an address without a GRH on RoCE", "{\"is_global\": false, \"dlid\": 1}"},
	{IBV_QP_AV, "an address of port 0", "{\"dest_gid\": \"$b.gid\", \"av_port\": 0}"},
	{IBV_QP_AV, "an address of another port", "{\"dest_gid\": \"$b.gid\", \"av_port\": 255}"},
	{IBV_QP_PATH_MTU, "path MTU code 0", "{\"path_mtu\": 0}"},
	{IBV_QP_PATH_MTU, "path MTU code 6", "{\"path_mtu\": 6}"},
	{IBV_QP_TIMEOUT, "timeout 32, of 5 bits", "{\"timeout\": 32}"},
	{IBV_QP_RETRY_CNT, "retry_cnt 8, of 3 bits", "{\"retry_cnt\": 8}"},
	{IBV_QP_RNR_RETRY, "rnr_retry 8, of 3 bits", "{\"rnr_retry\": 8}"},
	{IBV_QP_RQ_PSN, "rq_psn 2^24, of 24 bits", "{\"rq_psn\": 16777216}"},
	{IBV_QP_SQ_PSN, "sq_psn 2^24, of 24 bits", "{\"sq_psn\": 16777216}"},
	{IBV_QP_MAX_QP_RD_ATOMIC, "max_rd_atomic 255, above the device's limit",
	 "{\"max_rd_atomic\": 255}"},
	{IBV_QP_MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic 255, above the device's limit",
	 "{\"max_dest_rd_atomic\": 255}"},
	{IBV_QP_MIN_RNR_TIMER, "min_rnr_timer 32, of 5 bits", "{\"min_rnr_timer\": 32}"},
	{IBV_QP_DEST_QPN, "dest_qp_num 2^24, of 24 bits", "{\"dest_qp_num\": 16777216}"},
};

/*
 * The return value that a call must have. The pages name no code for a wrong value. Packet
 * pacing has a bit of its own, and a device may or may not have it.
 */
static const char accepted[] = "{\"return\": \"OK\"}";
static const char invalid[] = "{\"return\": \"EINVAL\"}";
static const char refused[] = "{\"return\": {\"not\": \"OK\"}}";
static const char no_pacing[] =
	"{\"return\": {\"any_of\": [\"EINVAL\", \"EOPNOTSUPP\"], "
	"\"why\": \"packet pacing is the device's to have\"}}";

static const char *state_name(enum ibv_qp_state s)
{
	return const_name(&const_qp_state, s);
}

static const char *bit_name(int bit)
{
	return const_name(&const_qp_attr_mask, bit);
}

/* Adds the members of the JSON map @text to @call. They replace those of the same name. */
static void overlay(struct value *call, const char *text)
{
	auto_value struct value *map = json_read(text, strlen(text), NULL);

	if (map)
		value_merge(call, map);
}

/* The parameters of try_modify_qp for a mask. Bits without a value go into "also". */
static struct value *call_for(int mask, enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct value *call = value_map(), *also = value_list();
	size_t i;

	if (mask & IBV_QP_STATE)
		value_set_string(call, "state", state_name(to));
	for (i = 0; i < ARRAY_SIZE(attributes); i++) {
		if (!(mask & attributes[i].bit))
			continue;
		if (attributes[i].args)
			overlay(call, attributes[i].args);
		else if (attributes[i].bit == IBV_QP_CUR_STATE)
			value_set_string(call, "cur_state", state_name(from));
		else
			value_append(also, value_string(bit_name(attributes[i].bit)));
	}
	if (also->list.count)
		value_set(call, "also", also);
	else
		value_free(also);
	return call;
}

/* One pair of states of one type. */
struct pair {
	enum ibv_qp_type type;
	enum ibv_qp_state from, to;
	const struct vbm_qp_transition *t;	/* NULL: this transition does not exist */
	int plain;		/* the right mask, or a similar one if the transition does not exist */
};

/* The calls that bring a new queue pair to @state. modify_qp cannot bring it to SQE. */
static struct value *way_to(enum ibv_qp_type type, enum ibv_qp_state state)
{
	static const enum ibv_qp_state path[][6] = {
		[IBV_QPS_INIT] = {IBV_QPS_INIT},
		[IBV_QPS_RTR] = {IBV_QPS_INIT, IBV_QPS_RTR},
		[IBV_QPS_RTS] = {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS},
		[IBV_QPS_SQD] = {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD},
		[IBV_QPS_ERR] = {IBV_QPS_INIT, IBV_QPS_ERR},
	};
	enum ibv_qp_state at = IBV_QPS_RESET;
	struct value *calls = value_list();
	const enum ibv_qp_state *s;

	if (state == IBV_QPS_RESET)
		return calls;
	for (s = path[state]; *s != IBV_QPS_RESET; at = *s, s++)
		value_append(calls, call_for(vbm_qp_transition(type, at, *s)->required |
					     IBV_QP_STATE, at, *s));
	return calls;
}

static void add_try(struct value *tries, const struct pair *p, char *what, struct value *call,
		    const char *answer)
{
	enum ibv_qp_state after = answer == accepted ? p->to : p->from;
	struct value *one = value_map();

	value_set(one, "case", value_format_string("%s to %s %s", state_name(p->from),
						   state_name(p->to), what));
	value_set_string(call, "qp", "q");
	value_set(call, "start", way_to(p->type, p->from));
	value_set(one, "call", call);
	overlay(one, answer);
	value_set_string(one, "state", state_name(after));
	value_append(tries, one);
	free(what);
}

static void add_mask(struct value *tries, const struct pair *p, char *what, int mask, bool legal)
{
	add_try(tries, p, what, call_for(mask, p->from, p->to),
		legal ? accepted : mask & IBV_QP_RATE_LIMIT ? no_pacing : invalid);
}

/* Makes the call with all required attributes, and once without each of them. */
static void try_required(struct value *tries, const struct pair *p)
{
	size_t i;

	add_mask(tries, p, xstrdup("with what is required"), p->plain, p->t);
	for (i = 0; p->t && i < ARRAY_SIZE(attributes); i++)
		if (p->t->required & attributes[i].bit)
			add_mask(tries, p, xasprintf("without %s", bit_name(attributes[i].bit)),
				 p->plain & ~attributes[i].bit, false);
}

static void try_optional(struct value *tries, const struct pair *p)
{
	size_t i;

	for (i = 0; p->t && i < ARRAY_SIZE(attributes); i++)
		if (p->t->optional & ~NEEDS_DEVICE & attributes[i].bit)
			add_mask(tries, p, xasprintf("with %s", bit_name(attributes[i].bit)),
				 p->plain | attributes[i].bit, true);
}

static void try_foreign(struct value *tries, const struct pair *p)
{
	size_t i;

	for (i = 0; p->t && i < ARRAY_SIZE(attributes); i++)
		if (!((p->t->required | p->t->optional) & attributes[i].bit))
			add_mask(tries, p, xasprintf("with %s", bit_name(attributes[i].bit)),
				 p->plain | attributes[i].bit, false);
}

/* Names a current state that is not the queue pair's state. */
static void try_current(struct value *tries, const struct pair *p)
{
	struct value *call;
	int s;

	if (!p->t || !(p->t->optional & IBV_QP_CUR_STATE))
		return;
	for (s = IBV_QPS_RESET; s <= IBV_QPS_ERR; s++) {
		if (s == (int)p->from)
			continue;
		call = call_for(p->plain, p->from, p->to);
		value_set_string(call, "cur_state", state_name((enum ibv_qp_state)s));
		add_try(tries, p, xasprintf("as if in %s", state_name((enum ibv_qp_state)s)), call,
			invalid);
	}
}

/* A wrong address vector replaces the right one; their members would mix otherwise. */
static void try_values(struct value *tries, const struct pair *p)
{
	struct value *call;
	size_t i;
	int mask;

	for (i = 0; p->t && i < ARRAY_SIZE(wrongs); i++) {
		if (!((p->t->required | p->t->optional) & wrongs[i].bit))
			continue;
		mask = wrongs[i].bit == IBV_QP_AV ? p->plain & ~IBV_QP_AV : p->plain | wrongs[i].bit;
		call = call_for(mask, p->from, p->to);
		overlay(call, wrongs[i].args);
		add_try(tries, p, xasprintf("with %s", wrongs[i].what), call, refused);
	}
}

static const struct {
	const char *name, *clause;
	void (*add)(struct value *tries, const struct pair *p);
} ways[] = {
	{"required", "QPS-STATES", try_required}, {"optional", "QPS-OPTIONAL", try_optional},
	{"foreign", "QPS-FOREIGN", try_foreign},  {"current", "QPS-CUR-STATE", try_current},
	{"values", "QPS-VALUES", try_values},
};

/* The mask of the transition. If it does not exist: the mask of another transition to @to. */
static int plain_mask(const struct pair *p)
{
	const struct vbm_qp_transition *t;
	size_t i, count;

	if (p->t)
		return p->t->required | IBV_QP_STATE;
	t = vbm_qp_transitions(&count);
	for (i = 0; i < count; i++)
		if (t[i].qp_type == p->type && t[i].to == p->to && t[i].required)
			return t[i].required | IBV_QP_STATE;
	return IBV_QP_STATE;
}

static void add_row(struct value *rows, enum ibv_qp_type type, size_t way)
{
	const char *name = const_name(&const_qp_type, type);
	struct value *row = value_map(), *tries = value_list();
	int from, to;

	for (from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++)
		for (to = IBV_QPS_RESET; to <= IBV_QPS_ERR && from != IBV_QPS_SQE; to++) {
			struct pair p = {type, (enum ibv_qp_state)from, (enum ibv_qp_state)to, NULL, 0};

			p.t = vbm_qp_transition(p.type, p.from, p.to);
			p.plain = plain_mask(&p);
			ways[way].add(tries, &p);
		}
	value_set(row, "case", value_format_string("%s-%s", name, ways[way].name));
	value_set_string(row, "clause", ways[way].clause);
	value_set_string(row, "type", name);
	value_set(row, "tries", tries);
	value_append(rows, row);
}

/*
 * The table of transitions as rows for "cases: {from: qp_transitions}". A row
 * belongs to one transport and one right or wrong way to make the call:
 *
 *	case	"RC-foreign"
 *	clause	the clause that the row proves
 *	type	RC, UC or UD
 *	tries	a list of maps, for all pairs of states:
 *		case	"INIT to RTR with QKEY"
 *		start	calls of modify_qp that bring a new queue pair to the first state
 *		call	the parameters of modify_qp
 *		return	what the call must return
 *		state	the state afterwards
 *
 * A row has many tries because a new process for each would take ten times as
 * long as the calls.
 */
static struct value *qp_transition_cases(void)
{
	struct value *rows = value_list();
	size_t k, way;

	for (k = 0; k < ARRAY_SIZE(types); k++)
		for (way = 0; way < ARRAY_SIZE(ways); way++)
			add_row(rows, types[k], way);
	return rows;
}

/*
 * The pairs of states between which vbm_qp_transitions(3) has no transition for a
 * reliable connection's queue pair.
 */
static struct value *illegal_transitions(void)
{
	struct value *rows = value_list(), *row;
	int from, to;

	for (from = IBV_QPS_RESET; from <= IBV_QPS_RTS; from++)
		for (to = IBV_QPS_INIT; to <= IBV_QPS_SQD; to++) {
			if (from == to || vbm_qp_transition(IBV_QPT_RC, (enum ibv_qp_state)from,
							    (enum ibv_qp_state)to))
				continue;
			row = value_map();
			value_set_string(row, "from", const_name(&const_qp_state, from));
			value_set_string(row, "to", const_name(&const_qp_state, to));
			value_append(rows, row);
		}
	return rows;
}

const struct case_generator case_generators[] = {
	{"illegal_transitions", "transitions of an RC queue pair that do not exist: from, to",
	 illegal_transitions},
	{"qp_transitions", "calls of ibv_modify_qp for each pair of states of RC, UC and UD queue "
	 "pairs, from the table of vbm_qp_transitions(3): type, tries (case, start, call, return, state)", qp_transition_cases},
	{"model_windows", "each operation on a memory window, its region or its key, in each state of the window: case, "
	 "clause, steps on the fragment two_pairs", model_window_cases},
	{"model_regions", "each operation on a memory region or its key, for regions with different rights and states: case, "
	 "clause, steps on the fragment two_pairs", model_region_cases},
	{"model_peers", "each operation on a queue pair, in each pair of states of the two ends: case, clause, steps on the "
	 "fragment two_pairs", model_peer_cases},
	{"model_shared", "each operation on a shared receive queue, for each number of requests and state of its queue pair: case, "
	 "clause, steps on the fragment pairs_of_kinds", model_shared_cases},
	{"model_datagrams", "each operation on a queue pair for datagrams, in each pair of states of the two ends: case, clause, "
	 "steps on the fragment pairs_of_kinds", model_datagram_cases},
	{"model_attributes", "each attribute of a queue pair that is set in each of its states, and what its peer can do then: case, "
	 "clause, steps on the fragment pairs_of_kinds", model_attribute_cases},
	{"model_completions", "each operation on a completion queue, for each number of completions in it and state of its queue pair: "
	 "case, clause, steps on the fragment two_pairs", model_completion_cases},
	{"litmus", "programs of several actors on the same memory, and an outcome that the documents forbid: case, clause, program, "
	 "outcome", litmus_cases},
	{"litmus_open", "the same with outcomes that no document forbids: case, program, outcome", litmus_open_cases},
	{NULL, NULL, NULL},
};
