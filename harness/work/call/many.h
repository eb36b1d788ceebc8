/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_MANY_H
#define VBM_CALL_MANY_H

#include "call/qp-attr.h"
#include "call/step-util.h"

/* Kinds of objects that a step makes by the smallest call that makes one. */

/* The arguments of the calls. Those that a kind does not need are NULL. */
struct making {
	const struct target *target;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_ah_attr ah;
	union ibv_gid group;
};

struct many_kind {
	bool in_pd, with_cq, with_ah, with_qp, with_group;
	void *(*make)(const struct making *m, size_t number);
	int (*unmake)(const struct making *m, void *thing, size_t number);
	uint32_t (*lkey)(const void *thing), (*rkey)(const void *thing);
};

extern const struct const_set many_set;		/* the names of the kinds */

/* The kind that a step with these parameters makes, and the arguments of the calls. */
#define P_MANY(d)                                                             \
	{.name = "what", .type = PARAM_CONST, .set = &many_set, .required = true, .doc = d}, \
	P_OBJECT("ctx", OBJECT_CONTEXT, "the open device, for PD, CQ, DEVICE and COMP_CHANNEL; default: ctx, or the only one"), \
	P_OBJECT("pd", OBJECT_PD, "the protection domain, for most others; default: pd, or the only one"), \
	P_OBJECT("cq", OBJECT_CQ, "the completion queue, for QP and MEMBER; default: cq, or the only one"), \
	P_OBJECT("qp", OBJECT_QP, "the queue pair, for GROUP; default: qp, or the only one"), \
	P_STRING("gid", "for MEMBER the multicast group, for GROUP the first one; default ff0e::1:0"), \
	P_AV

const struct many_kind *many_arg_kind(const struct value *args, struct vbm_error *err);
int many_arg_making(struct step_ctx *ctx, const struct value *args, const struct many_kind *k, struct making *m,
		    struct vbm_error *err);

#endif
