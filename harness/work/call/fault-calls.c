/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/fault-calls.h"

#include <string.h>

#include "names/host.h"

/* A line for each call: its name, of verbs or of rdma_cm, the state of a queue pair, and the two functions. */
#define FAULT_CALLS(X)                                                        \
	X(QP_INIT, false, IBV_QPS_INIT, fault_prepare_qp, fault_modify_qp)    \
	X(QP_RTR, false, IBV_QPS_RTR, fault_prepare_qp, fault_modify_qp)      \
	X(QP_RTS, false, IBV_QPS_RTS, fault_prepare_qp, fault_modify_qp)      \
	X(QP_SQD, false, IBV_QPS_SQD, fault_prepare_qp, fault_modify_qp)      \
	X(QP_ERR, false, IBV_QPS_ERR, fault_prepare_qp, fault_modify_qp)      \
	X(QP_RESET, false, IBV_QPS_RESET, fault_prepare_qp, fault_modify_qp)  \
	X(QUERY_QP, false, IBV_QPS_RTS, fault_prepare_qp, fault_query_qp)     \
	X(RESIZE_CQ, false, 0, fault_prepare_cq, fault_resize_cq)             \
	X(MODIFY_SRQ, false, 0, fault_prepare_srq, fault_modify_srq)          \
	X(CREATE_ID, true, 0, fault_prepare_nothing, fault_create_id)         \
	X(BIND_ADDR, true, 0, fault_prepare_id, fault_bind_addr)              \
	X(LISTEN, true, 0, fault_prepare_bound, fault_listen)                 \
	X(RESOLVE_ADDR, true, 0, fault_prepare_id, fault_resolve_addr)        \
	X(RESOLVE_ROUTE, true, 0, fault_prepare_resolved, fault_resolve_route) \
	X(CREATE_QP, true, 0, fault_prepare_resolved, fault_create_qp)        \
	X(CONNECT, true, 0, fault_prepare_connect, fault_connect)             \
	X(ACCEPT, true, 0, fault_prepare_request, fault_accept)

enum call_number {
#define NUMBER(name, cm, state, prepare, call) CALL_##name,
	FAULT_CALLS(NUMBER)
#undef NUMBER
};

static const struct fault_call calls[] = {
#define LINE(name, cm, state, prepare, call) {cm, state, prepare, call},
	FAULT_CALLS(LINE)
#undef LINE
};

static const struct const_entry call_entries[] = {
#define ENTRY(name, cm, state, prepare, call) {#name, CALL_##name},
	FAULT_CALLS(ENTRY)
#undef ENTRY
};

const struct const_set fault_call_set = {
	.name = "fault calls",
	.prefix = "",
	.entry = call_entries,
	.count = ARRAY_SIZE(call_entries),
};

const struct fault_call *fault_call_of(const struct value *args, struct vbm_error *err)
{
	int64_t call = value_get_int(args, "call", 0);

	if (call >= 0 && call < (int64_t)ARRAY_SIZE(calls))
		return &calls[call];
	vbm_fail(err, EINVAL, "call: there is no call with the number %lld", (long long)call);
	return NULL;
}

static int cm_args(struct step_ctx *ctx, const struct value *args, struct calling *c, struct vbm_error *err)
{
	c->channel = arg_handle(ctx, args, "channel", OBJECT_CHANNEL, err);
	if (!c->channel || step_address_parse(&c->own, ctx->host->ip4, 0, err) < 0)
		return -err->code;
	/* Nobody listens at the port. */
	return step_address_parse(&c->peer, value_get_string(args, "dst_addr", ctx->host->ip4), 7471, err);
}

int fault_call_args(struct step_ctx *ctx, const struct value *args, const struct fault_call *f, struct calling *c,
		    struct vbm_error *err)
{
	memset(c, 0, sizeof(*c));
	c->target = ctx->target;
	c->deadline_ns = ctx->deadline_ns;
	if (f->of_cm)
		return cm_args(ctx, args, c, err);
	c->pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	c->for_qps = c->pd ? arg_handle(ctx, args, "cq", OBJECT_CQ, err) : NULL;
	if (!c->for_qps)
		return -err->code;
	return qp_av_from_args(ctx, args, &c->ah, err);
}

static int end_id(const struct target *t, struct rdma_cm_id **id, bool *has_qp)
{
	int ret;

	if (!*id)
		return 0;
	if (*has_qp)
		t->cm_destroy_qp(*id);
	*has_qp = false;
	errno = 0;
	ret = t->destroy_id(*id);
	*id = NULL;
	return step_code_of(ret);
}

int fault_call_end(struct calling *c)
{
	const struct target *t = c->target;
	bool none = false;
	int ret[6] = {0};
	size_t i;

	ret[0] = c->qp ? t->destroy_qp(c->qp) : 0;
	ret[1] = c->cq ? t->destroy_cq(c->cq) : 0;
	ret[2] = c->srq ? t->destroy_srq(c->srq) : 0;
	c->qp = NULL;
	c->cq = NULL;
	c->srq = NULL;
	ret[3] = end_id(t, &c->id, &c->id_has_qp);
	ret[4] = end_id(t, &c->client, &c->client_has_qp);
	ret[5] = end_id(t, &c->listener, &none);
	for (i = 0; i < ARRAY_SIZE(ret); i++)
		if (ret[i])
			return ret[i];
	return 0;
}
