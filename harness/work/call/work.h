/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_WORK_H
#define VBM_CALL_WORK_H

#include "call/step-util.h"

/* Work requests as parameters of steps. */

#define SGE_MAX 64	/* more than rxe accepts */
#define LIST_MAX 64	/* requests in one call */
#define WORK_FLUSH 14	/* IBV_WR_FLUSH, which the oldest supported rdma-core does not have */

/* The bytes of a request, as scatter/gather entries. */
struct work {
	struct mr_object *mr;		/* NULL: the request needs no region */
	size_t offset, length;
	struct ibv_sge sge[SGE_MAX];
	int sges;
};

#define P_WORK_BYTES                                                          \
	P_U64("id", "wr_id; default 0"),                                      \
	P_OBJECT("mr", OBJECT_MR, "region with the bytes; default: QP_mr, mr, or the only one"), \
	P_INT("offset", 0, INT64_MAX, "first byte in the region; default 0"), \
	P_INT("length", 0, INT64_MAX, "how many bytes; default: the length of the region, 8 for atomics"), \
	P_INT("sges", 0, SGE_MAX, "how many scatter/gather entries the bytes are divided into; default 1"), \
	P_INT("empty", 0, SGE_MAX, "empty entries before each of them; default 0"), \
	P_INT("gap", 0, INT32_MAX, "bytes of the region between two of them; default 0"), \
	P_BOOL("same_place", "true lets all entries begin at the same byte, so a short region is enough for " \
			"a long request; default false"), \
	P_INT("lkey", 0, 0, "local key; default: that of the region"),        \
	P_U64("addr", "address instead of the region's; the step does not check it"), \
	P_BOOL("beyond", "allow bytes outside of the region; default false")

#define P_FILL_FIRST                                                          \
	P_BYTES("fill", 0, "fill the bytes first: counter, zero, the value of a byte (0x5a) or {hex: BYTES} " \
			"repeated; default: the bytes stay as they are")

/* The parameters of a send request, except its bytes. */
#define P_SEND                                                                \
	P_CONST("opcode", &const_wr_opcode, "operation; default SEND"),       \
	P_FLAGS("flags", &const_send_flags, "send flags; default [SIGNALED]"), \
	P_FILL_FIRST,                                                         \
	P_INT("imm", 0, UINT32_MAX, "immediate data in host order; default 0"), \
	P_INT("inv_rkey", 0, UINT32_MAX, "key that SEND_WITH_INV or LOCAL_INV invalidates; default 0"), \
	P_U64("remote_addr", "address in the peer's region, for RDMA and atomics"), \
	P_INT("remote_offset", INT64_MIN, INT64_MAX, "added to remote_addr; default 0"), \
	P_INT("rkey", 0, UINT32_MAX, "remote key of that region; for BIND_MW the next key of the window, by " \
			"default its key with the last byte increased by one"), \
	P_FLAGS("flush_type", &const_flush_type, "type of FLUSH; default [GLOBAL]"), \
	P_CONST("flush_level", &const_flush_level, "level of FLUSH: RANGE or MR; default RANGE"), \
	P_U64("compare_add", "the value that an atomic compares or adds"),             \
	P_U64("swap", "the value that COMPARE_SWAP writes"),                                    \
	P_OBJECT("mw", OBJECT_MW, "the window that BIND_MW binds to the bytes; default: mw, or the only one"), \
	P_FLAGS("access", &const_access, "rights that BIND_MW gives; default []"), \
	P_OBJECT("ah", OBJECT_AH, "address handle of a datagram; default: ah, or the only one"), \
	P_INT("remote_qpn", 0, UINT32_MAX, "number of the destination queue pair of a datagram"), \
	P_INT("remote_qkey", 0, UINT32_MAX, "Q_Key of a datagram")

struct qp_object *work_arg_qp(struct step_ctx *ctx, const struct value *args,
			      struct vbm_error *err);

/*
 * Reads the bytes of a request from "mr:" or, without it, from the region that was
 * made along with @owner ("q" has "q_mr"), or else from the default region.
 */
int work_from_args(struct step_ctx *ctx, const struct value *args, const char *owner,
		   struct work *w, struct vbm_error *err);

/* Does the same for a send request, with "fill:", and fills in the request. */
int work_send_from_args(struct step_ctx *ctx, const struct value *args, const struct qp_object *q,
			struct work *w, struct ibv_send_wr *wr, struct vbm_error *err);

/* Where receive requests go: a queue pair, or a shared receive queue. */
struct work_receiver {
	int (*post)(void *queue, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
	void *queue;
	const char *name;	/* of the object */
	struct postings *posted;
};

/* The receiver that "qp:" or "srq:" means; -errno with @err. */
int work_arg_qp_receiver(struct step_ctx *ctx, const struct value *args, struct work_receiver *to, struct vbm_error *err);
int work_arg_srq_receiver(struct step_ctx *ctx, const struct value *args, struct work_receiver *to, struct vbm_error *err);

/* Posts receive requests ("count:", "id:"). */
int work_post_recvs(struct step_ctx *ctx, const struct value *args, struct value *result,
		    const struct work_receiver *to, struct vbm_error *err);

/* The entry that poll_cq finds when the completion comes. */
struct posted work_posted(const struct work *w, uint64_t id, bool recv, int64_t ns);

/* After a BIND_MW was posted: gives the window its next key, as ibv_bind_mw(3) does. */
void work_bound(struct ibv_send_wr *wr);

#endif
