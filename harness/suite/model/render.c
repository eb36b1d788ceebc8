/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "model/render-parts.h"

/* "$b.m3.rkey" */
static struct value *field_of(const struct model_world *w, int slot, const char *field)
{
	char name[16];

	/* The key of a region that was registered again is that of the later call. */
	if (w->slot[slot].again && !strcmp(field, "rkey"))
		return value_format_string("$%c.n%d.rkey", render_host(w->slot[slot].host), slot);
	return value_format_string("$%c.%s.%s", render_host(w->slot[slot].host), render_name(w, slot, name), field);
}

static void reg_mr(const struct model_world *w, const struct model_op *op, struct rendered_call *c)
{
	static const int ways[] = {[WAY_ZERO_BASED] = IBV_ACCESS_ZERO_BASED, [WAY_ON_DEMAND] = IBV_ACCESS_ON_DEMAND};

	(void)w;
	c->name = op->way == WAY_IOVA ? "reg_mr_iova" : "reg_mr";
	render_domain(c->args, op);
	value_set_int(c->args, "length", MODEL_BLOCK * MODEL_BLOCKS);
	if (op->way == WAY_IOVA)
		value_set_int(c->args, "iova", MODEL_IOVA(op->made));
	value_set(c->args, "access", render_access(op->access | ways[op->way]));
	snprintf(c->as, sizeof(c->as), "m%d", op->made);
}

static void dereg_mr(const struct model_world *w, const struct model_op *op, struct rendered_call *c)
{
	char name[16];

	c->name = "dereg_mr";
	value_set_string(c->args, "mr", render_name(w, op->region, name));
}

static void alloc_mw(const struct model_world *w, const struct model_op *op, struct rendered_call *c)
{
	(void)w;
	c->name = "alloc_mw";
	render_domain(c->args, op);
	value_set_int(c->args, "type", op->type);
	snprintf(c->as, sizeof(c->as), "w%d", op->made);
}

static void dealloc_mw(const struct model_world *w, const struct model_op *op, struct rendered_call *c)
{
	char name[16];

	c->name = "dealloc_mw";
	value_set_string(c->args, "mw", render_name(w, op->window, name));
}

static void bind_mw(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	char name[16];

	render_request(op, id, c);
	if (op->type == 1)
		c->name = "bind_mw";
	else
		value_set_string(c->args, "opcode", "BIND_MW");
	value_set_string(c->args, "mw", render_name(w, op->window, name));
	value_set_string(c->args, "mr", render_name(w, op->region, name));
	value_set_int(c->args, "offset", (int64_t)op->first * MODEL_BLOCK);
	value_set_int(c->args, "length", (int64_t)op->blocks * MODEL_BLOCK);
	value_set(c->args, "access", render_access(op->access | (op->zero ? IBV_ACCESS_ZERO_BASED : 0)));
	if (op->first + op->blocks > MODEL_BLOCKS)
		value_set_bool(c->args, "beyond", true);
	snprintf(c->as, sizeof(c->as), "k%d", op->made);
}

static void send_request(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	render_request(op, id, c);
	if (op->verb == VERB_LOCAL_INV) {
		value_set_string(c->args, "opcode", "LOCAL_INV");
		value_set_string(c->args, "mr", "q_mr");
		value_set_int(c->args, "length", 0);
	} else {
		value_set_string(c->args, "opcode", op->verb == VERB_SEND_INV ? "SEND_WITH_INV" : op->immediate ? "SEND_WITH_IMM" : "SEND");
		render_bytes(c, id, MODEL_BLOCK, op->fill);
	}
	if (op->verb != VERB_SEND)
		value_set(c->args, "inv_rkey", field_of(w, op->key, "rkey"));
}

static void access_request(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	static const char *const opcodes[VERB_COUNT] = {[VERB_WRITE] = "RDMA_WRITE", [VERB_READ] = "RDMA_READ",
							[VERB_FETCH_ADD] = "ATOMIC_FETCH_AND_ADD",
							[VERB_CMP_SWAP] = "ATOMIC_CMP_AND_SWP"};
	bool atomic = op->verb == VERB_FETCH_ADD || op->verb == VERB_CMP_SWAP;
	const struct model_slot *k = &w->slot[op->key];
	int64_t own;

	render_request(op, id, c);
	value_set_string(c->args, "opcode", op->immediate ? "RDMA_WRITE_WITH_IMM" : opcodes[op->verb]);
	render_bytes(c, id, atomic ? 8 : op->blocks * MODEL_BLOCK + op->over,
		  op->verb == VERB_WRITE ? op->fill : op->verb == VERB_READ ? MODEL_STALE : MODEL_OTHER);
	if (atomic)
		value_set_int(c->args, "compare_add", op->verb == VERB_FETCH_ADD ? 1 : (int64_t)op->compare);
	if (op->verb == VERB_CMP_SWAP)
		value_set_int(c->args, "swap", (int64_t)model_word(op->fill));
	if (model_address(w, op->key, op->first, &own)) {
		value_set_int(c->args, "remote_addr", own);
	} else {
		/* A window that was never bound leads nowhere. */
		value_set(c->args, "remote_addr", k->kind == KIND_WINDOW ? value_format_string("$%c.q_mr.addr", render_host(k->host)) :
						  field_of(w, k->kind == KIND_BINDING ? k->region : op->key, "addr"));
		value_set_int(c->args, "remote_offset", (int64_t)op->first * MODEL_BLOCK);
	}
	value_set(c->args, "rkey", field_of(w, op->key, "rkey"));
}

static void post_recv(const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	c->name = "post_recv";
	value_set_string(c->args, "qp", render_pair(op->pair));
	value_set_int(c->args, "id", (int64_t)id);
	value_set_string(c->args, "mr", "q_mr");
	value_set_int(c->args, "offset", MODEL_RECEIVED(id));
	value_set_int(c->args, "length", model_received_bytes(op->pair));
}

static struct rendered_call call_of(const struct model_world *w, const struct model_op *op, uint64_t id)
{
	struct rendered_call c = {.host = render_host(op->host), .args = value_map()};
	static void (*const plain[VERB_COUNT])(const struct model_world *, const struct model_op *, struct rendered_call *) = {
		[VERB_REG_MR] = reg_mr, [VERB_DEREG_MR] = dereg_mr, [VERB_ALLOC_MW] = alloc_mw,
		[VERB_DEALLOC_MW] = dealloc_mw,
	};

	if (plain[op->verb])
		plain[op->verb](w, op, &c);
	else if (render_queue_call(w, op, id, &c))
		return c;
	else if (op->verb == VERB_BIND)
		bind_mw(w, op, id, &c);
	else if (op->verb == VERB_POST_RECV)
		post_recv(op, id, &c);
	else if (op->verb == VERB_SEND || op->verb == VERB_SEND_INV || op->verb == VERB_LOCAL_INV)
		send_request(w, op, id, &c);
	else if (op->verb == VERB_MODIFY)
		c.name = render_modify(w, op, c.args);
	else
		access_request(w, op, id, &c);
	return c;
}

/* Whether a later operation uses the object or key in @slot. */
static bool is_used(const struct model_op *op, size_t count, int slot)
{
	size_t i;

	for (i = 0; slot >= 0 && i < count; i++)
		if (model_uses(&op[i], slot))
			return true;
	return false;
}

/* Whether a later operation uses the key that @op[0], a call of ibv_rereg_mr(), gives its region. */
static bool is_key_used(const struct model_op *op, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++) {
		if (op[i].verb == VERB_REREG_MR && op[i].region == op->region &&
		    !(op[i].changes & IBV_REREG_MR_CHANGE_ACCESS && model_rights_forbidden(op[i].access)))
			return false;
		if (op[i].key == op->region && (model_is_remote(op[i].verb) || op[i].verb == VERB_LOCAL_INV))
			return true;
	}
	return false;
}

static struct value *returned(const struct model_op *op, const struct model_prediction *p)
{
	struct value *expect = value_map();
	static const char *const names[] = {[RETURN_OK] = "OK", [RETURN_POINTER] = "POINTER", [RETURN_NULL] = "NULL",
					    [RETURN_EINVAL] = "EINVAL", [RETURN_NOT_SUPPORTED] = "NULL"};

	if (p->returns == RETURN_NOT_SUPPORTED)
		value_set_string(expect, "errno", "EOPNOTSUPP");
	if (p->returns == RETURN_NOT_OK)
		value_set(expect, "return", render_not("OK"));
	else
		value_set_string(expect, "return", names[p->returns]);
	if (op->verb == VERB_QUERY_SRQ)
		value_set_int(expect, "srq_limit", p->limit);
	return expect;
}

static struct value *call_step(const struct rendered_call *c, const struct model_op *op, const struct model_prediction *p, bool named)
{
	auto_free char *key = xasprintf("%c.%s", c->host, c->name);
	struct value *step = value_map();

	value_set(step, key, c->args);
	if (named)
		value_set_string(step, "as", c->as);
	value_set(step, "expect", returned(op, p));
	render_note(step, p->rule);
	return step;
}

/* The step that makes the call after it fail at first. */
static struct value *fail_next(const struct model_op *op)
{
	auto_free char *key = xasprintf("%c.fail_next", render_host(op->host));
	struct value *step = value_map(), *args = value_map();

	value_set_int(args, "nth", op->fail);
	value_set(step, key, args);
	return step;
}

/* A call that may be refused at once, or end in the completion that follows it. */
static void add_either(struct value *steps, struct value *call, const struct model_prediction *p)
{
	struct value *either = value_map(), *outcomes = value_list(), *refused = value_list(), *done = value_list();
	struct value *not_ok = value_map(), *first = value_dup(call);

	value_set(not_ok, "return", render_not("OK"));
	value_set(first, "expect", not_ok);
	value_append(refused, first);
	value_append(done, call);
	value_append(done, render_completion(&p->done[0]));
	value_append(outcomes, refused);
	value_append(outcomes, done);
	value_set(either, "either", outcomes);
	value_set_string(either, "why", model_statement(p->done[0].rule)->silent);
	value_append(steps, either);
}

static void render_op(const struct model_world *before, const struct model_world *after, const struct model_op *op,
		      const struct model_prediction *p, bool used, struct value *steps)
{
	bool atomic = op->verb == VERB_FETCH_ADD || op->verb == VERB_CMP_SWAP;
	struct rendered_call c;
	struct value *step;
	int i;

	if (op->verb == VERB_RECONNECT) {
		render_reconnect(op, steps);
		return;
	}
	if (op->verb == VERB_POLL) {
		for (i = 0; i < p->count; i++)
			value_append(steps, render_completion(&p->done[i]));
		return;
	}
	if (op->verb == VERB_OVERFLOW) {
		render_overflow(op, p, steps);
		return;
	}
	if (op->notice != NOTICE_NONE && p->event)
		render_ask(op, steps);
	c = call_of(before, op, p->id);
	if (op->fail)
		value_append(steps, fail_next(op));
	step = call_step(&c, op, p, used || (*c.as && op->verb != VERB_BIND && op->verb != VERB_REREG_MR));
	if (p->may_refuse) {
		add_either(steps, step, p);
		return;
	}
	value_append(steps, step);
	if (p->event)
		render_event(op, steps);
	for (i = 0; i < p->count; i++)
		value_append(steps, render_completion(&p->done[i]));
	render_states(op, after, p, steps);
	if (op->verb == VERB_READ && p->count && p->done[0].status[0] == IBV_WC_SUCCESS)
		render_read(op, p, MODEL_SENT(p->id), steps);
	if (atomic && p->original)
		render_original(op, p, MODEL_SENT(p->id), steps);
	if (p->changed >= 0)
		render_memory(after, p->changed, model_memory_rule(op->verb), steps);
}

size_t model_render(const struct model_op *op, size_t count, struct model_stack stack, struct value *steps, bool *kept)
{
	struct model_world *w = xcalloc(2, sizeof(*w)), *before = w + 1;
	struct model_prediction p;
	bool used[MODEL_PAIRS] = {true, true};
	size_t i, n = 0;

	model_init(w, stack);
	for (i = 0; i < count; i++) {
		bool possible = model_possible(w, &op[i]);

		if (kept)
			kept[i] = possible;
		if (!possible)
			continue;
		*before = *w;
		used[op[i].pair] = true;
		model_predict(w, &op[i], &p);
		render_op(before, w, &op[i], &p, op[i].verb == VERB_REREG_MR ? is_key_used(op + i, count - i) && p.returns == RETURN_OK :
			  is_used(op + i + 1, count - i - 1, op[i].made), steps);
		n++;
	}
	render_empty_queues(w, used, steps);
	free(w);
	return n;
}

const char *model_fragment(const struct model_op *op, size_t count)
{
	size_t i;

	const char *fragment = "two_pairs";

	for (i = 0; i < count; i++) {
		if (op[i].pair == MODEL_DATAGRAM)
			return "pairs_of_kinds";
		if (op[i].pair == MODEL_SHARED)
			fragment = "pairs_with_shared";
	}
	return fragment;
}
