/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_FAULT_CALLS_H
#define VBM_CALL_FAULT_CALLS_H

#include "call/qp-attr.h"
#include "call/step-util.h"

/* Calls that change an object which exists, for the step that makes the kernel fail in them. */

/* The arguments of the calls, and the objects of one attempt. */
struct calling {
	const struct target *target;
	int64_t deadline_ns;
	struct ibv_pd *pd;
	struct ibv_cq *for_qps;
	struct rdma_event_channel *channel;
	struct sockaddr_storage own, peer;	/* port 0 and any port */
	struct ibv_ah_attr ah;

	/* Made by prepare() and by the call itself. NULL: not made. */
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct rdma_cm_id *id, *client, *listener;
	bool id_has_qp, client_has_qp;
};

struct fault_call {
	bool of_cm;
	enum ibv_qp_state state;	/* of calls that move a queue pair: the state afterwards */
	/* Makes the objects of an attempt. The caller frees them, also after a failure. */
	int (*prepare)(struct calling *c, const struct fault_call *f, struct vbm_error *err);
	/* Returns 0 or an errno value; -1: an error without one. */
	int (*call)(struct calling *c, const struct fault_call *f);
};

extern const struct const_set fault_call_set;	/* the names of the calls */

#define P_FAULT_CALL                                                          \
	{.name = "call", .type = PARAM_CONST, .set = &fault_call_set, .required = true, \
	 .doc = "the call; QP_INIT to QP_RESET are those of ibv_modify_qp(3) that lead to the state"}, \
	P_OBJECT("pd", OBJECT_PD, "the protection domain, for calls of verbs; default: pd, or the only one"), \
	P_OBJECT("cq", OBJECT_CQ, "the completion queue of queue pairs, for calls of verbs; default: cq, or the only one"), \
	P_OBJECT("channel", OBJECT_CHANNEL, "the event channel, for calls of rdma_cm; default: channel, or the only one"), \
	P_ADDRESS("dst_addr", "for RESOLVE_ADDR, RESOLVE_ROUTE and CONNECT, IP:PORT of the peer; default: a port of this host"), \
	P_AV

const struct fault_call *fault_call_of(const struct value *args, struct vbm_error *err);
int fault_call_args(struct step_ctx *ctx, const struct value *args, const struct fault_call *f, struct calling *c,
		    struct vbm_error *err);

/* Frees the objects of an attempt. Returns 0, or the error of the first call that failed. */
int fault_call_end(struct calling *c);

#endif
