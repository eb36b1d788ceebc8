/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Headers call functions of the context of a device. They are replaced when it is opened. The functions below find the replaced ones by the context.
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
	/* A program that ends a connection flushes what it has posted, too. */
	for (i = 0; i < n; i++)
		if (wc[i].status != IBV_WC_SUCCESS && wc[i].status != IBV_WC_WR_FLUSH_ERR)
			trace_say("ibv_poll_cq: a completion of qp %u, wr_id 0x%llx: status %d, %s",
				  wc[i].qp_num, (unsigned long long)wc[i].wr_id, wc[i].status,
				  NEXT(ibv_wc_status_str)(wc[i].status));
	return n;
}

/* A function that calls the one which it replaces, and says that this failed. */
#define REPLACING(type, name, params, call, way, number, failed, ...)         \
	static type name params                                               \
	{                                                                     \
		type ret = call;                                              \
									      \
		if (failed)                                                   \
			trace_failed("ibv_" #name, way, number, NULL, __VA_ARGS__); \
		return ret;                                                   \
	}
#define NUMBER_CALL(name, params, call, ...) REPLACING(int, name, params, call, TRACE_NUMBER, ret, ret, __VA_ARGS__)
#define POINTER_CALL(type, name, params, call, ...) REPLACING(type, name, params, call, TRACE_NULL, 0, !ret, __VA_ARGS__)

NUMBER_CALL(req_notify_cq, (struct ibv_cq *cq, int solicited_only), of(cq->context)->ops.req_notify_cq(cq, solicited_only),
	    "solicited_only %d", solicited_only)
NUMBER_CALL(post_send, (struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad),
	    of(qp->context)->ops.post_send(qp, wr, bad), "qp %u in %s, opcode %d, %d pieces, flags 0x%x", qp->qp_num,
	    trace_qp_state(qp->state), wr->opcode, wr->num_sge, wr->send_flags)
NUMBER_CALL(post_recv, (struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad),
	    of(qp->context)->ops.post_recv(qp, wr, bad), "qp %u in %s, %d pieces", qp->qp_num, trace_qp_state(qp->state), wr->num_sge)
NUMBER_CALL(post_srq_recv, (struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad),
	    of(srq->context)->ops.post_srq_recv(srq, wr, bad), "%d pieces", wr->num_sge)
POINTER_CALL(struct ibv_mw *, alloc_mw, (struct ibv_pd *pd, enum ibv_mw_type type), of(pd->context)->ops.alloc_mw(pd, type),
	     "type %d", type)
NUMBER_CALL(bind_mw, (struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind), of(qp->context)->ops.bind_mw(qp, mw, bind),
	    "qp %u", qp->qp_num)
NUMBER_CALL(query_port, (struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size),
	    of(context)->query_port(context, port, attr, size), "port %u", port)
POINTER_CALL(struct ibv_qp *, create_qp_ex, (struct ibv_context *context, struct ibv_qp_init_attr_ex *attr),
	     of(context)->create_qp_ex(context, attr), "%s, %u and %u requests, %u and %u pieces, %u bytes inline",
	     trace_qp_type(attr->qp_type), attr->cap.max_send_wr, attr->cap.max_recv_wr, attr->cap.max_send_sge,
	     attr->cap.max_recv_sge, attr->cap.max_inline_data)

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
