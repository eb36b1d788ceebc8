/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/value.h"
#include "model/render-parts.h"
#include "names/consts.h"

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
