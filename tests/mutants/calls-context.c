/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that headers call through the context. One provider has one set of functions. */
#include "tests/mutants/mutant-fields.h"

#include <string.h>

#define SGES_MAX 64

static struct ibv_context_ops next;
static int (*next_query_port)(struct ibv_context *, uint8_t, struct ibv_port_attr *, size_t);
static struct ibv_qp *(*next_create_qp_ex)(struct ibv_context *, struct ibv_qp_init_attr_ex *);
static int (*next_advise_mr)(struct ibv_pd *, enum ibv_advise_mr_advice, uint32_t, struct ibv_sge *, uint32_t);

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	struct mutant_call c = {.name = "ibv_query_port", .in = {ARG(port)}};

	while (mutant_begin(&c)) {
		c.ret = next_query_port(context, port, attr, size);
		c.out[0] = (struct mutant_part){c.ret ? NULL : attr, mutant_port_attr};
	}
	return (int)mutant_end(&c);
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct mutant_call c = {.name = "ibv_create_qp_ex", .in = {{attr, mutant_qp_init_attr_ex}}};

	while (mutant_begin(&c))
		c.ret = (intptr_t)next_create_qp_ex(context, attr);
	return (struct ibv_qp *)mutant_end(&c);
}

static int advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		     struct ibv_sge *sges, uint32_t num_sge)
{
	struct mutant_call c = {.name = "ibv_advise_mr", .in = {ARG(flags), ARG(num_sge), {sges, mutant_sge}}};

	while (mutant_begin(&c))
		c.ret = next_advise_mr(pd, advice, flags, sges, num_sge);
	return (int)mutant_end(&c);
}

/*
 * Place "drop": with 1 the completion is lost. Where the queue is empty, a completion that
 * is all zero stands ready: with "ret = 1" the program gets it.
 */
static int poll_cq(struct ibv_cq *cq, int num, struct ibv_wc *wc)
{
	struct mutant_call c = {.name = "ibv_poll_cq", .in = {ARG(num)}};
	struct ibv_wc made_up = {0};
	int i, got, drop = 0, kept = 0;

	c.out[1] = (struct mutant_part)ARG(drop);
	while (mutant_begin(&c))
		c.ret = next.poll_cq(cq, num, wc);
	got = (int)c.ret;
	for (i = 0; i < got; i++, drop = 0) {
		c.out[0] = (struct mutant_part){&wc[i], mutant_wc};
		mutant_end(&c);
		if (!drop)
			wc[kept++] = wc[i];
	}
	if (got > 0)
		return (int)c.ret == got ? kept : (int)c.ret;
	c.out[0] = (struct mutant_part){&made_up, mutant_wc};
	mutant_end(&c);
	if (got == 0 && c.ret == 1 && num > 0)
		*wc = made_up;
	return (int)c.ret;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	struct mutant_call c = {.name = "ibv_req_notify_cq", .in = {ARG(solicited_only)}};

	while (mutant_begin(&c))
		c.ret = next.req_notify_cq(cq, solicited_only);
	if (mutant_on("cq-event-at-request"))
		mutant_make_event(cq);
	return (int)mutant_end(&c);
}

#define QP_TYPE(qp) {&(qp)->qp_type, (const struct mutant_field[]){{"qp_type", 0, sizeof((qp)->qp_type)}, {NULL, 0, 0}}}
#define SGES(sge, num) {(num) > 0 ? (sge) : NULL, mutant_sge}, {(num) > 1 ? (sge) + 1 : NULL, mutant_second_sge}
#define BAD(at) {at, (const struct mutant_field[]){{"bad_wr", 0, sizeof(*(at))}, {NULL, 0, 0}}}

/* The second request of a list, as a copy that mutants change. */
static void copy_second(struct ibv_send_wr *to, struct ibv_send_wr *first)
{
	if (!first->next)
		return;
	*to = *first->next;
	first->next = to;
}

/* The pieces of a request, as a copy that mutants change. */
static void copy_sges(struct ibv_sge *to, struct ibv_sge **list, int num)
{
	if (num <= 0 || num > SGES_MAX)
		return;
	memcpy(to, *list, (size_t)num * sizeof(*to));
	*list = to;
}

/* Posts what a list has after its bad request: a call must not. */
#define POST_THE_REST(post, object, wr, bad, name)                            \
	do {                                                                  \
		if (mutant_on(name) && *(bad) && (*(bad))->next) {            \
			__typeof__(wr) ignored;                               \
									      \
			next.post(object, (*(bad))->next, &ignored);          \
		}                                                             \
	} while (0)

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct ibv_send_wr copy = *wr, second = {0};
	struct ibv_sge sge[SGES_MAX];
	struct mutant_call c = {.name = "ibv_post_send", .in = {{&copy, mutant_send_wr},
				{wr->next ? &second : NULL, mutant_second_send_wr},
				SGES(sge, wr->num_sge), QP_TYPE(qp)}};

	copy_second(&second, &copy);
	copy_sges(sge, &copy.sg_list, copy.num_sge);
	while (mutant_begin(&c))
		c.ret = next.post_send(qp, &copy, bad);
	if (c.ret && *bad == &copy)
		*bad = wr;
	if (c.ret && *bad == &second)
		*bad = wr->next;
	if (c.ret)
		POST_THE_REST(post_send, qp, wr, bad, "list-goes-on");
	c.out[0] = (struct mutant_part)BAD(bad);
	return (int)mutant_end(&c);
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct ibv_recv_wr copy = *wr;
	struct ibv_sge sge[SGES_MAX];
	struct mutant_call c = {.name = "ibv_post_recv", .in = {{&copy, mutant_recv_wr},
				SGES(sge, wr->num_sge), QP_TYPE(qp)}};

	copy_sges(sge, &copy.sg_list, copy.num_sge);
	while (mutant_begin(&c))
		c.ret = next.post_recv(qp, &copy, bad);
	if (c.ret && *bad == &copy)
		*bad = wr;
	if (c.ret)
		POST_THE_REST(post_recv, qp, wr, bad, "receive-list-goes-on");
	c.out[0] = (struct mutant_part)BAD(bad);
	return (int)mutant_end(&c);
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct ibv_recv_wr copy = *wr;
	struct ibv_sge sge[SGES_MAX];
	struct mutant_call c = {.name = "ibv_post_srq_recv", .in = {{&copy, mutant_recv_wr},
				SGES(sge, wr->num_sge)}};

	copy_sges(sge, &copy.sg_list, copy.num_sge);
	while (mutant_begin(&c))
		c.ret = next.post_srq_recv(srq, &copy, bad);
	if (c.ret && *bad == &copy)
		*bad = wr;
	c.out[0] = (struct mutant_part)BAD(bad);
	return (int)mutant_end(&c);
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct mutant_call c = {.name = "ibv_alloc_mw", .in = {ARG(type)}};

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)next.alloc_mw(pd, type);
		c.out[0] = (struct mutant_part){(void *)c.ret, mutant_mw};
	}
	return (struct ibv_mw *)mutant_end(&c);
}

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct ibv_mw_bind copy = *bind;
	struct mutant_call c = {.name = "ibv_bind_mw", .in = {{&copy, mutant_mw_bind}}, .out = {{mw, mutant_mw}}};

	while (mutant_begin(&c))
		c.ret = next.bind_mw(qp, mw, &copy);
	return (int)mutant_end(&c);
}

static int dealloc_mw(struct ibv_mw *mw)
{
	struct mutant_call c = {.name = "ibv_dealloc_mw"};

	while (mutant_begin(&c))
		c.ret = next.dealloc_mw(mw);
	return (int)mutant_end(&c);
}

#define HOOK(table, call)                                                     \
	do {                                                                  \
		if (table->call && table->call != call) {                     \
			HOOK_NEXT(call) = table->call;                        \
			table->call = call;                                   \
		}                                                             \
	} while (0)

void mutant_context(struct ibv_context *context)
{
	struct verbs_context *v = context ? verbs_get_ctx(context) : NULL;
	struct ibv_context_ops *ops = context ? &context->ops : NULL;

	if (!context)
		return;
#define HOOK_NEXT(call) next.call
	HOOK(ops, poll_cq);
	HOOK(ops, req_notify_cq);
	HOOK(ops, post_send);
	HOOK(ops, post_recv);
	HOOK(ops, post_srq_recv);
	HOOK(ops, alloc_mw);
	HOOK(ops, bind_mw);
	HOOK(ops, dealloc_mw);
#undef HOOK_NEXT
#define HOOK_NEXT(call) next_##call
	if (!v)
		return;
	HOOK(v, query_port);
	HOOK(v, create_qp_ex);
	HOOK(v, advise_mr);
}
