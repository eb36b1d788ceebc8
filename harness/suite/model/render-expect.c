/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/pair-values.h"
#include "model/render-parts.h"
#include "model/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "names/consts.h"

const char *render_name(const struct model_world *w, int slot, char name[static 16])
{
	static const char letter[] = {[KIND_REGION] = 'm', [KIND_WINDOW] = 'w', [KIND_BINDING] = 'k', [KIND_HANDLE] = 'h'};

	snprintf(name, 16, "%c%d", letter[w->slot[slot].kind], slot);
	return name;
}

void render_domain(struct value *args, const struct model_op *op)
{
	value_set_string(args, "pd", op->domain ? "other" : "q_pd");
}

void render_request(const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	struct value *flags;

	c->name = "post_send";
	value_set_string(c->args, "qp", render_pair(op->pair));
	value_set_int(c->args, "id", (int64_t)id);
	if (op->solicited) {
		flags = value_list();
		value_append(flags, value_string("SIGNALED"));
		value_append(flags, value_string("SOLICITED"));
		value_set(c->args, "flags", flags);
	}
	if (op->immediate)
		value_set_int(c->args, "imm", model_immediate(op->fill));
}

void render_bytes(struct rendered_call *c, uint64_t id, int bytes, int fill)
{
	value_set_string(c->args, "mr", "q_mr");
	value_set_int(c->args, "offset", MODEL_SENT(id));
	value_set_int(c->args, "length", bytes);
	if (fill != MODEL_OTHER)
		value_set(c->args, "fill", value_format_string("0x%02x", (unsigned)fill));
}

char render_host(int host)
{
	return (char)('a' + host);
}

const char *render_pair(int pair)
{
	static const char *const names[MODEL_PAIRS] = {"q", "r", [MODEL_SHARED] = "s", [MODEL_DATAGRAM] = "u"};

	return names[pair];
}

struct value *render_not(const char *name)
{
	struct value *map = value_map();

	value_set_string(map, "not", name);
	return map;
}

void render_note(struct value *step, enum model_rule rule)
{
	const struct model_statement *s = model_statement(rule);

	if (s->clause)
		value_set(step, "note", value_format_string("%s: %s", s->clause, s->text));
}

void model_add_clause(struct value *list, enum model_rule rule)
{
	const struct model_statement *s = model_statement(rule);
	size_t i;

	if (!s->clause)
		return;
	for (i = 0; i < list->list.count; i++)
		if (!strcmp(list->list.item[i]->s, s->clause))
			return;
	value_append(list, value_string(s->clause));
}

struct value *render_access(int access)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; i < const_access.count; i++)
		if (access & const_access.entry[i].value)
			value_append(list, value_string(const_access.entry[i].name));
	return list;
}

struct value *render_step(int host, const char *call, struct value *args)
{
	auto_free char *key = xasprintf("%c.%s", render_host(host), call);
	struct value *step = value_map();

	value_set(step, key, args);
	return step;
}

static struct value *one_of(const struct model_completion *c)
{
	struct value *map, *list;
	int i;

	if (!c->statuses)
		return render_not("SUCCESS");
	if (c->statuses == 1)
		return value_string(const_name(&const_wc_status, (int64_t)c->status[0]));
	map = value_map();
	list = value_list();
	for (i = 0; i < c->statuses; i++)
		value_append(list, value_string(const_name(&const_wc_status, (int64_t)c->status[i])));
	value_set(map, "any_of", list);
	value_set_string(map, "why", c->why);
	return map;
}

static struct value *bytes_of(int fill)
{
	return fill ? value_format_string("0x%02x", (unsigned)fill) : value_string("zero");
}

struct value *render_completion(const struct model_completion *c)
{
	struct value *args = value_map(), *expect = value_map(), *step;

	value_set(args, "cq", value_format_string("%s_%s", render_pair(c->pair), c->receive ? "rq" : "cq"));
	value_set_int(expect, "id", (int64_t)c->id);
	if (c->statuses != MODEL_ANY)
		value_set(expect, "status", one_of(c));
	if (c->opcode >= 0)
		value_set_string(expect, "opcode", const_name(&const_wc_opcode, c->opcode));
	if (c->bytes >= 0)
		value_set_int(expect, "length", c->bytes);
	if (c->fill != MODEL_OTHER)
		value_set(expect, "data", bytes_of(c->fill));
	if (c->immediate >= 0)
		value_set_int(expect, "imm", c->immediate);
	step = render_step(c->host, "poll_cq", args);
	value_set(step, "expect", expect);
	render_note(step, c->rule);
	return step;
}

/* The step HOST.CALL on the receiver's queue of a message. */
static struct value *on_receiver(const struct model_op *op, const char *call, struct value **args)
{
	*args = value_map();
	value_set(*args, "cq", value_format_string("%s_rq", render_pair(op->pair)));
	return render_step(!op->host, call, *args);
}

void render_ask(const struct model_op *op, struct value *steps)
{
	struct value *args, *step = on_receiver(op, "req_notify_cq", &args);

	if (op->notice == NOTICE_SOLICITED)
		value_set_bool(args, "solicited_only", true);
	value_append(steps, step);
}

void render_event(const struct model_op *op, struct value *steps)
{
	struct value *args, *step = on_receiver(op, "get_cq_event", &args);

	render_note(step, op->notice == NOTICE_SOLICITED ? RULE_EVENT_SOLICITED : RULE_EVENT);
	value_append(steps, step);
	value_append(steps, on_receiver(op, "ack_cq_events", &args));
}

/* How long a queue pair may take to reach a state that follows from a completion. */
#define SETTLES_MS 500

/* A state that follows from a completion may come after it. */
void render_states(const struct model_op *op, const struct model_world *after, const struct model_prediction *p,
		   struct value *steps)
{
	struct value *step, *args, *expect;
	bool asked, drains;
	int h, n;

	for (h = 0; h < MODEL_HOSTS; h++)
		for (n = 0; n < MODEL_PAIRS; n++) {
			asked = (op->verb == VERB_MODIFY || op->verb == VERB_SET_ATTRIBUTE) && op->host == h && op->pair == n;
			if (!after->pair[h][n].known || (!asked && !p->settles[h][n]))
				continue;
			args = value_map();
			expect = value_map();
			value_set_string(args, "qp", render_pair(n));
			value_set_string(expect, "return", "OK");
			value_set_string(expect, "state", const_name(&const_qp_state, (int64_t)after->pair[h][n].state));
			/* Draining takes a moment, also if there is nothing to drain. */
			drains = asked && after->pair[h][n].state == IBV_QPS_SQD;
			if (drains)
				value_set_bool(expect, "sq_draining", false);
			step = render_step(h, "query_qp", args);
			value_set(step, p->settles[h][n] || drains ? "until" : "expect", expect);
			if (p->settles[h][n] || drains)
				value_set_int(step, "deadline", SETTLES_MS);
			render_note(step, asked ? RULE_TRANSITION : RULE_ERROR);
			value_append(steps, step);
		}
}

/* @late: what was written may arrive after the completion. */
static void check_buffer(int host, const char *mr, int64_t offset, int bytes, struct value *expect, enum model_rule rule, bool late,
			 struct value *steps)
{
	struct value *args = value_map(), *step;

	value_set_string(args, "mr", mr);
	value_set_int(args, "offset", offset);
	value_set_int(args, "length", bytes);
	step = render_step(host, "check_buffer", args);
	value_set(step, late ? "until" : "expect", expect);
	if (late)
		value_set_int(step, "deadline", SETTLES_MS);
	render_note(step, rule);
	value_append(steps, step);
}

static void check_bytes(int host, const char *mr, int64_t offset, int bytes, int fill, enum model_rule rule,
			bool late, struct value *steps)
{
	struct value *expect = value_map();

	value_set(expect, "data", bytes_of(fill));
	check_buffer(host, mr, offset, bytes, expect, rule, late, steps);
}

static void check_word(int host, const char *mr, int64_t offset, uint64_t word, enum model_rule rule, bool late, struct value *steps)
{
	struct value *expect = value_map();

	value_set_int(expect, "word", (int64_t)word);
	check_buffer(host, mr, offset, (int)sizeof(word), expect, rule, late, steps);
}

static bool is_even(const struct model_block *b)
{
	return b->fill != MODEL_OTHER && b->word == model_word(b->fill);
}

/* One step for each run of blocks with the same bytes. A block that an atomic operation changed has steps of its own. */
static void check_blocks(int host, const char *mr, int64_t offset, const struct model_block *block, int blocks,
			 enum model_rule rule, bool late, struct value *steps)
{
	const int word = sizeof(block->word);
	int64_t at;
	int i, n;

	for (i = 0; i < blocks; i += n) {
		at = offset + (int64_t)i * MODEL_BLOCK;
		for (n = 1; is_even(&block[i]) && i + n < blocks && block[i + n].fill == block[i].fill && is_even(&block[i + n]); n++)
			;
		if (is_even(&block[i])) {
			check_bytes(host, mr, at, n * MODEL_BLOCK, block[i].fill, rule, late, steps);
		} else if (block[i].fill != MODEL_OTHER) {
			check_word(host, mr, at, block[i].word, rule, late, steps);
			check_bytes(host, mr, at + word, MODEL_BLOCK - word, block[i].fill, rule, late, steps);
		}
	}
}

void render_original(const struct model_op *op, const struct model_prediction *p, int64_t offset, struct value *steps)
{
	check_word(op->host, "q_mr", offset, p->read[0].word, model_memory_rule(op->verb), false, steps);
}

void render_read(const struct model_op *op, const struct model_prediction *p, int64_t offset, struct value *steps)
{
	check_blocks(op->host, "q_mr", offset, p->read, op->blocks, RULE_READ, false, steps);
}

void render_memory(const struct model_world *after, int region, enum model_rule rule, struct value *steps)
{
	auto_free char *mr = xasprintf("m%d", region);

	check_blocks(after->slot[region].host, mr, 0, after->slot[region].block, MODEL_BLOCKS, rule,
		     after->stack.lacks & 1u << LACK_ACKS, steps);
}

/* Every completion was predicted, so no queue has another one. */
void render_empty_queues(const struct model_world *after, const bool *used, struct value *steps)
{
	struct value *args, *expect, *step;
	int h, n, i, receive;

	for (h = 0; h < MODEL_HOSTS; h++)
		for (n = 0; n < MODEL_PAIRS; n++)
			for (i = 0; i < after->pair[h][n].lefts; i++)
				value_append(steps, render_completion(&after->pair[h][n].left[i]));
	for (h = 0; h < MODEL_HOSTS; h++)
		for (n = 0; n < MODEL_PAIRS; n++)
			for (receive = 0; receive < 2 && used[n] && after->pair[h][n].known; receive++) {
				args = value_map();
				expect = value_map();
				value_set(args, "cq", value_format_string("%s_%s", render_pair(n), receive ? "rq" : "cq"));
				value_set_bool(args, "wait", false);
				value_set_int(expect, "return", 0);
				step = render_step(h, "poll_cq", args);
				value_set(step, "expect", expect);
				value_set_string(step, "note", "no request has a second completion");
				value_append(steps, step);
			}
}

static void put_numbers(struct value *args, enum ibv_qp_state state)
{
	const struct pair_value *v;
	size_t i;

	for (i = 0; (v = pair_value_nth(i)); i++)
		if (v->state == state)
			value_set_int(args, v->name, v->number);
}

/* A pair needs these to receive. */
static void put_peer(const struct model_op *op, struct value *args)
{
	put_numbers(args, IBV_QPS_RTR);
	value_set(args, "dest_qp_num", value_format_string("$%c.%s.qp_num", render_host(!op->host), render_pair(op->pair)));
	value_set(args, "dest_gid", value_format_string("$%c.gid", render_host(!op->host)));
	value_set(args, "gid_index", value_format_string("$%c.gid_index", render_host(op->host)));
}

const char *render_modify(const struct model_world *before, const struct model_op *op, struct value *args)
{
	enum ibv_qp_state from = before->pair[op->host][op->pair].state;

	value_set_string(args, "qp", render_pair(op->pair));
	value_set_string(args, "state", const_name(&const_qp_state, (int64_t)op->state));
	if (op->state == IBV_QPS_INIT) {
		value_set_int(args, "pkey_index", 0);
		value_set(args, "port", value_format_string("$%c.port", render_host(op->host)));
		if (op->pair == MODEL_DATAGRAM)
			value_set_int(args, "qkey", model_qkey(0));
		else
			value_set(args, "access", render_access(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
								IBV_ACCESS_REMOTE_ATOMIC));
	} else if (op->pair == MODEL_DATAGRAM && op->state == IBV_QPS_RTS && from <= IBV_QPS_RTR) {
		value_set_int(args, "sq_psn", PAIR_PSN);
	} else if (op->pair == MODEL_DATAGRAM) {
		return "modify_qp";
	} else if (op->state == IBV_QPS_RTR) {
		put_peer(op, args);
	} else if (op->state == IBV_QPS_RTS && from <= IBV_QPS_RTR) {
		put_numbers(args, IBV_QPS_RTS);
	}
	return "modify_qp";
}

void render_reconnect(const struct model_op *op, struct value *steps)
{
	struct value *step = value_map(), *use = value_map(), *args = value_map();

	value_set_string(args, "qp", render_pair(op->pair));
	if (op->pair == MODEL_SHARED)
		value_set_bool(args, "shared", true);
	value_set(use, op->pair == MODEL_DATAGRAM ? "ready_datagrams" : "reconnect", args);
	value_set(step, "use", use);
	value_append(steps, step);
}
