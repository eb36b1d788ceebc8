/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What headers call through the context of a device: the functions of a context are
 * replaced when it is opened. The functions below find the replaced ones by the context.
 */
#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXTS_MAX 64	/* of a process; more are not traced */

struct replaced {
	struct ibv_context *context;
	struct ibv_context_ops ops;
	int (*query_port)(struct ibv_context *, uint8_t, struct ibv_port_attr *, size_t);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *, struct ibv_qp_init_attr_ex *);
};

static struct replaced all[CONTEXTS_MAX];
static size_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * An entry stays, so a call needs no lock. There is one: without it the context's functions
 * would not have been replaced.
 */
static const struct replaced *of(const struct ibv_context *context)
{
	size_t i;

	for (i = 0; i < CONTEXTS_MAX; i++)
		if (all[i].context == context)
			return &all[i];
	abort();
}

static int poll_cq(struct ibv_cq *cq, int num, struct ibv_wc *wc)
{
	int i, n = of(cq->context)->ops.poll_cq(cq, num, wc);

	if (n < 0)
		trace_failed("ibv_poll_cq", TRACE_NUMBER, n, NULL, "%d entries", num);
	/* What a program has posted is flushed when it ends a connection, too. */
	for (i = 0; i < n; i++)
		if (wc[i].status != IBV_WC_SUCCESS && wc[i].status != IBV_WC_WR_FLUSH_ERR)
			trace_say("ibv_poll_cq: a completion of qp %u, wr_id 0x%llx: status %d, %s",
				  wc[i].qp_num, (unsigned long long)wc[i].wr_id, wc[i].status,
				  NEXT(ibv_wc_status_str)(wc[i].status));
	return n;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	int ret = of(cq->context)->ops.req_notify_cq(cq, solicited_only);

	if (ret)
		trace_failed("ibv_req_notify_cq", TRACE_NUMBER, ret, NULL, "solicited_only %d",
			     solicited_only);
	return ret;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	int ret = of(qp->context)->ops.post_send(qp, wr, bad);

	if (ret)
		trace_failed("ibv_post_send", TRACE_NUMBER, ret, NULL,
			     "qp %u in %s, opcode %d, %d pieces, flags 0x%x", qp->qp_num,
			     trace_qp_state(qp->state), wr->opcode, wr->num_sge, wr->send_flags);
	return ret;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int ret = of(qp->context)->ops.post_recv(qp, wr, bad);

	if (ret)
		trace_failed("ibv_post_recv", TRACE_NUMBER, ret, NULL, "qp %u in %s, %d pieces",
			     qp->qp_num, trace_qp_state(qp->state), wr->num_sge);
	return ret;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int ret = of(srq->context)->ops.post_srq_recv(srq, wr, bad);

	if (ret)
		trace_failed("ibv_post_srq_recv", TRACE_NUMBER, ret, NULL, "%d pieces", wr->num_sge);
	return ret;
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ibv_mw *mw = of(pd->context)->ops.alloc_mw(pd, type);

	if (!mw)
		trace_failed("ibv_alloc_mw", TRACE_NULL, 0, NULL, "type %d", type);
	return mw;
}

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	int ret = of(qp->context)->ops.bind_mw(qp, mw, bind);

	if (ret)
		trace_failed("ibv_bind_mw", TRACE_NUMBER, ret, NULL, "qp %u", qp->qp_num);
	return ret;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		      size_t size)
{
	int ret = of(context)->query_port(context, port, attr, size);

	if (ret)
		trace_failed("ibv_query_port", TRACE_NUMBER, ret, NULL, "port %u", port);
	return ret;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp *qp = of(context)->create_qp_ex(context, attr);

	if (!qp)
		trace_failed("ibv_create_qp_ex", TRACE_NULL, 0, NULL,
			     "%s, %u and %u requests, %u and %u pieces, %u bytes inline",
			     trace_qp_type(attr->qp_type), attr->cap.max_send_wr, attr->cap.max_recv_wr,
			     attr->cap.max_send_sge, attr->cap.max_recv_sge, attr->cap.max_inline_data);
	return qp;
}

static void replace_calls(struct replaced *r, struct ibv_context *context)
{
	struct verbs_context *v = verbs_get_ctx(context);

	r->ops = context->ops;
	r->query_port = v ? v->query_port : NULL;
	r->create_qp_ex = v ? v->create_qp_ex : NULL;
	r->context = context;
#define HOOK(table, member)                                                   \
	do {                                                                  \
		if ((table)->member)                                          \
			(table)->member = member;                             \
	} while (0)
	HOOK(&context->ops, poll_cq);
	HOOK(&context->ops, req_notify_cq);
	HOOK(&context->ops, post_send);
	HOOK(&context->ops, post_recv);
	HOOK(&context->ops, post_srq_recv);
	HOOK(&context->ops, alloc_mw);
	HOOK(&context->ops, bind_mw);
	if (!v)
		return;
	HOOK(v, query_port);
	HOOK(v, create_qp_ex);
#undef HOOK
}

/* A closed context's memory may come again as another context. */
void trace_context(struct ibv_context *context)
{
	size_t i;

	if (!context)
		return;
	pthread_mutex_lock(&lock);
	for (i = 0; i < count && all[i].context != context; i++)
		;
	if (i < CONTEXTS_MAX && context->ops.poll_cq != poll_cq) {
		replace_calls(&all[i], context);
		count = i == count ? i + 1 : count;
	}
	pthread_mutex_unlock(&lock);
}
