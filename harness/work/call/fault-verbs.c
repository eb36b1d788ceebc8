/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/fault-calls.h"

/* Calls of verbs that change an object: fault-calls.h. */

static int made(const void *p, const char *what, struct vbm_error *err)
{
	return p ? 0 : vbm_fail(err, errno ? errno : EIO, "cannot make %s for the call", what);
}

#define CONNECT_MASK (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | \
		      IBV_QP_MIN_RNR_TIMER)
#define SEND_MASK (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)

/* The way of a reliable queue pair through its states, and how far it has to be for the call that leads to a state. */
static const struct {
	enum ibv_qp_state from;
	int mask;
} way[] = {
	[IBV_QPS_INIT] = {IBV_QPS_RESET, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
	[IBV_QPS_RTR] = {IBV_QPS_INIT, CONNECT_MASK},
	[IBV_QPS_RTS] = {IBV_QPS_RTR, SEND_MASK},
	[IBV_QPS_SQD] = {IBV_QPS_RTS, 0},
	[IBV_QPS_ERR] = {IBV_QPS_RTS, 0},
	[IBV_QPS_RESET] = {IBV_QPS_RTS, 0},
};

static int move_qp(const struct calling *c, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr = {
		.qp_state = to, .port_num = c->ah.port_num, .ah_attr = c->ah, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = c->qp->qp_num, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1,
	};

	return c->target->modify_qp(c->qp, &attr, IBV_QP_STATE | way[to].mask);
}

/* The state @to is RESET only for the call itself: a new queue pair is there already. */
static int move_up_to(const struct calling *c, enum ibv_qp_state to)
{
	int ret = 0;

	if (to == IBV_QPS_RESET)
		return 0;
	ret = move_up_to(c, way[to].from);
	return ret ? ret : move_qp(c, to);
}

int fault_prepare_qp(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	struct ibv_qp_init_attr init = {
		.send_cq = c->for_qps, .recv_cq = c->for_qps, .qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};
	int ret;

	c->qp = c->target->create_qp(c->pd, &init);
	if (made(c->qp, "a queue pair", err) < 0)
		return -err->code;
	ret = move_up_to(c, way[f->state].from);
	return ret ? vbm_fail(err, ret, "cannot bring a queue pair into the state before the call") : 0;
}

int fault_modify_qp(struct calling *c, const struct fault_call *f)
{
	return move_qp(c, f->state);
}

int fault_query_qp(struct calling *c, const struct fault_call *f)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	(void)f;
	return c->target->query_qp(c->qp, &attr, IBV_QP_STATE, &init);
}

int fault_prepare_cq(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	(void)f;
	c->cq = c->target->create_cq(c->pd->context, 4, NULL, NULL, 0);
	return made(c->cq, "a completion queue", err);
}

int fault_resize_cq(struct calling *c, const struct fault_call *f)
{
	(void)f;
	return c->target->resize_cq(c->cq, 100);
}

int fault_prepare_srq(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	struct ibv_srq_init_attr init = {.attr = {.max_wr = 4, .max_sge = 1}};

	(void)f;
	c->srq = c->target->create_srq(c->pd, &init);
	return made(c->srq, "a shared receive queue", err);
}

int fault_modify_srq(struct calling *c, const struct fault_call *f)
{
	struct ibv_srq_attr attr = {.max_wr = 100};

	(void)f;
	return c->target->modify_srq(c->srq, &attr, IBV_SRQ_MAX_WR);
}
