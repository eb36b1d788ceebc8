/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "base/value.h"
#include "model/pair-values.h"
#include "model/render-parts.h"
#include "names/consts.h"

static void rereg_mr(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	bool access = op->changes & IBV_REREG_MR_CHANGE_ACCESS;
	struct value *flags = value_list();
	char name[16];

	(void)id;
	value_set_string(c->args, "mr", render_name(w, op->region, name));
	if (access)
		value_append(flags, value_string("CHANGE_ACCESS"));
	if (op->changes & IBV_REREG_MR_CHANGE_PD)
		value_append(flags, value_string("CHANGE_PD"));
	value_set(c->args, "flags", flags);
	if (access)
		value_set(c->args, "access", render_access(op->access));
	if (op->changes & IBV_REREG_MR_CHANGE_PD)
		render_domain(c->args, op);
	snprintf(c->as, sizeof(c->as), "n%d", op->region);
}

static void set_attribute(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	const struct pair_value *v;
	size_t i;

	(void)id;
	value_set_string(c->args, "qp", render_pair(op->pair));
	value_set_string(c->args, "state", const_name(&const_qp_state, (int64_t)w->pair[op->host][op->pair].state));
	if (op->changes == IBV_QP_ACCESS_FLAGS)
		value_set(c->args, "access", render_access(op->access));
	else if (op->changes == IBV_QP_QKEY)
		value_set_int(c->args, "qkey", model_qkey(op->qkey));
	else if (op->changes == IBV_QP_MAX_DEST_RD_ATOMIC)
		value_set_int(c->args, "max_dest_rd_atomic", op->size);
	else if (op->changes == IBV_QP_DEST_QPN)
		value_set_int(c->args, "dest_qp_num", 17);
	else
		for (i = 0; (v = pair_value_nth(i)); i++)
			if (op->changes == v->bit)
				value_set_int(c->args, v->name, v->number);
}

static void resize_cq(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	(void)w;
	(void)id;
	value_set(c->args, "cq", value_format_string("%s_%s", render_pair(op->pair), op->receive ? "rq" : "cq"));
	value_set_int(c->args, "cqe", op->size);
}

static void post_srq(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	(void)w;
	(void)op;
	value_set_string(c->args, "srq", "s_srq");
	value_set_int(c->args, "id", (int64_t)id);
	value_set_string(c->args, "mr", "q_mr");
	value_set_int(c->args, "offset", MODEL_RECEIVED(id));
	value_set_int(c->args, "length", MODEL_BLOCK);
}

static void srq_call(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	(void)w;
	(void)id;
	value_set_string(c->args, "srq", "s_srq");
	if (op->verb == VERB_MODIFY_SRQ)
		value_set_int(c->args, op->changes == IBV_SRQ_LIMIT ? "srq_limit" : "max_wr", op->size);
}

static void create_ah(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	(void)w;
	(void)id;
	render_domain(c->args, op);
	value_set(c->args, "dest_gid", value_format_string("$%c.gid", render_host(!op->host)));
	value_set(c->args, "gid_index", value_format_string("$%c.gid_index", render_host(op->host)));
	snprintf(c->as, sizeof(c->as), "h%d", op->made);
}

static void destroy_ah(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	char name[16];

	(void)id;
	value_set_string(c->args, "ah", render_name(w, op->handle, name));
}

static void datagram(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	render_request(op, id, c);
	if (op->immediate)
		value_set_string(c->args, "opcode", "SEND_WITH_IMM");
	render_bytes(c, id, MODEL_BLOCK, op->fill);
	destroy_ah(w, op, id, c);
	value_set(c->args, "remote_qpn", value_format_string("$%c.%s.qp_num", render_host(!op->host), render_pair(op->pair)));
	value_set_int(c->args, "remote_qkey", model_qkey(op->qkey));
}

bool render_queue_call(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	static const struct {
		const char *name;
		void (*render)(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c);
	} calls[VERB_COUNT] = {
		[VERB_REREG_MR] = {"rereg_mr", rereg_mr}, [VERB_SET_ATTRIBUTE] = {"modify_qp", set_attribute},
		[VERB_RESIZE_CQ] = {"resize_cq", resize_cq}, [VERB_POST_SRQ] = {"post_srq_recv", post_srq},
		[VERB_MODIFY_SRQ] = {"modify_srq", srq_call}, [VERB_QUERY_SRQ] = {"query_srq", srq_call},
		[VERB_DESTROY_SRQ] = {"destroy_srq", srq_call}, [VERB_CREATE_AH] = {"create_ah", create_ah},
		[VERB_DESTROY_AH] = {"destroy_ah", destroy_ah}, [VERB_DATAGRAM] = {"post_send", datagram},
	};

	if (!calls[op->verb].render)
		return false;
	c->name = calls[op->verb].name;
	calls[op->verb].render(w, op, id, c);
	return true;
}

/* Appends HOST.CALL with @args and, unless it is NULL, @expect. */
static struct value *put_step(struct value *steps, int host, const char *call, struct value *args, struct value *expect)
{
	struct value *step = render_step(host, call, args);

	if (expect)
		value_set(step, "expect", expect);
	value_append(steps, step);
	return step;
}

static struct value *returns(const char *what)
{
	struct value *expect = value_map();

	value_set_string(expect, "return", what);
	return expect;
}

static struct value *queue_args(const struct model_op *op)
{
	struct value *args = value_map();

	value_set(args, "cq", value_format_string("%s_%s", render_pair(op->pair), op->receive ? "rq" : "cq"));
	return args;
}

/* The requests: one more than the queue of host @owner has entries. */
static struct value *requests(const struct model_op *op, uint64_t id, int owner, int64_t offset)
{
	struct value *args = value_map();

	value_set_string(args, "qp", render_pair(op->pair));
	value_set_int(args, "id", MODEL_OVERFLOW);
	value_set(args, "count", value_format_string("$%c.o%llu.cqe+1", render_host(owner), (unsigned long long)id));
	value_set_string(args, "mr", "q_mr");
	value_set_int(args, "offset", offset);
	value_set_int(args, "length", MODEL_BLOCK);
	return args;
}

/* RTS or ERR: no document says what a queue pair does when its completion queue overflows. */
static void append_state(const struct model_op *op, int host, struct value *steps)
{
	struct value *args = value_map(), *expect = returns("OK"), *any = value_map(), *list = value_list();

	value_set_string(args, "qp", render_pair(op->pair));
	value_append(list, value_string(const_name(&const_qp_state, IBV_QPS_RTS)));
	value_append(list, value_string(const_name(&const_qp_state, IBV_QPS_ERR)));
	value_set(any, "any_of", list);
	value_set_string(any, "why", model_statement(RULE_OVERFLOW)->silent);
	value_set(expect, "state", any);
	put_step(steps, host, "query_qp", args, expect);
}

void render_overflow(const struct model_op *op, const struct model_prediction *p, struct value *steps)
{
	int owner = op->receive ? !op->host : op->host, i;
	struct value *args = queue_args(op), *expect, *step;

	value_set_int(args, "cqe", MODEL_SHORT);
	step = put_step(steps, owner, "resize_cq", args, returns("OK"));
	value_set(step, "as", value_format_string("o%llu", (unsigned long long)p->id));
	put_step(steps, !op->host, "post_recv", requests(op, p->id, owner, MODEL_RECEIVED(p->id)), returns("OK"));
	args = requests(op, p->id, owner, MODEL_SENT(p->id));
	value_set(args, "fill", value_format_string("0x%02x", (unsigned)op->fill));
	if (op->receive)
		value_set(args, "flags", value_list());
	put_step(steps, op->host, "post_send", args, returns("OK"));
	for (i = 0; i < p->count; i++)
		value_append(steps, render_completion(&p->done[i]));
	expect = value_map();
	value_set_string(expect, "event", "CQ_ERR");
	value_set(expect, "cq", value_format_string("%s_%s", render_pair(op->pair), op->receive ? "rq" : "cq"));
	render_note(put_step(steps, owner, "get_async_event", queue_args(op), expect), RULE_OVERFLOW);
	for (i = 0; i < MODEL_HOSTS; i++)
		append_state(op, i, steps);
}
