/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_QP_ATTR_H
#define VBM_CALL_QP_ATTR_H

#include "call/step-util.h"
#include "names/consts.h"

/* The address vector's parameters, shared by modify_qp and create_ah. */
#define P_AV                                                                  \
	P_STRING("dest_gid", "GID of the peer's port, or its IP address"),    \
	P_INT("gid_index", 0, 255, "index of this side's GID; default: the host's for the family of dest_gid"), \
	P_BOOL("is_global", "whether the GRH is used; default true"),         \
	P_INT("dlid", 0, 65535, "LID of the peer; default 0"),                \
	P_INT("sl", 0, 255, "service level; default 0"),                      \
	P_INT("hop_limit", 0, 255, "hop limit; default 64"),                  \
	P_INT("traffic_class", 0, 255, "traffic class; default 0"),           \
	P_INT("flow_label", 0, 0xfffff, "flow label; default 0"),             \
	P_INT("av_port", 0, 255, "port number in the address vector; default: the host's port")

int qp_av_from_args(const struct step_ctx *ctx, const struct value *args,
		 struct ibv_ah_attr *ah, struct vbm_error *err);

/* Attributes of queue pairs as parameters and as result fields. */

#define P_QP_INIT                                                             \
	P_CONST("qp_type", &const_qp_type, "transport; default RC"),          \
	P_INT("max_send_wr", 0, UINT32_MAX, "send requests that can be outstanding; default 16"), \
	P_INT("max_recv_wr", 0, UINT32_MAX, "receive requests that can be outstanding; default 16"), \
	P_INT("max_send_sge", 0, UINT32_MAX, "scatter/gather entries of a send request; default 1"), \
	P_INT("max_recv_sge", 0, UINT32_MAX, "scatter entries of a receive request; default 1"), \
	P_INT("max_inline_data", 0, UINT32_MAX, "bytes that can be sent inline; default 0"), \
	P_BOOL("sq_sig_all", "whether every send request makes a completion; default false")

#define F_QP_CAPS                                                             \
	F_INT("max_send_wr", "send requests that can be outstanding"),        \
	F_INT("max_recv_wr", "receive requests that can be outstanding"),     \
	F_INT("max_send_sge", "scatter/gather entries of a send request"),    \
	F_INT("max_recv_sge", "scatter entries of a receive request"),        \
	F_INT("max_inline_data", "bytes that can be sent inline")

/* Each attribute that the step gives adds its bit to the mask. */
#define P_QP_ATTR                                                             \
	P_CONST("state", &const_qp_state, "the new state"),                  \
	P_CONST("cur_state", &const_qp_state, "the state that the call assumes"), \
	P_BOOL("en_sqd_async_notify", "whether reaching SQD makes an event"), \
	P_FLAGS("access", &const_access, "remote operations that are allowed"), \
	P_INT("pkey_index", 0, 65535, "index of the partition key"),          \
	P_INT("port", 0, 255, "port number"),                                 \
	P_INT("qkey", 0, UINT32_MAX, "Q_Key of datagrams"),                   \
	P_CONST("path_mtu", &const_mtu, "path MTU, in bytes or as a code"),   \
	P_INT("timeout", 0, 255, "local ACK timeout: N means 4.096 us * 2^N"), \
	P_INT("retry_cnt", 0, 255, "retries after a timeout"),                \
	P_INT("rnr_retry", 0, 255, "retries after receiver not ready; 7 means without end"), \
	P_INT("rq_psn", 0, UINT32_MAX, "first packet number to be received"), \
	P_INT("sq_psn", 0, UINT32_MAX, "first packet number to be sent"),     \
	P_INT("max_rd_atomic", 0, 255, "RDMA reads and atomics outstanding as initiator"), \
	P_INT("max_dest_rd_atomic", 0, 255, "RDMA reads and atomics outstanding as responder"),         \
	P_INT("min_rnr_timer", 0, 255, "code of the time a peer shall wait after receiver not ready"), \
	P_INT("dest_qp_num", 0, UINT32_MAX, "number of the peer's queue pair"), \
	P_AV,                                                                 \
	P_FLAGS("mask", &const_qp_attr_mask, "the mask; default: the bits of the given attributes"), \
	P_FLAGS("also", &const_qp_attr_mask, "bits to add to the mask; their attributes are 0"), \
	P_FLAGS("omit", &const_qp_attr_mask, "bits to remove from the mask")

#define F_QP_ATTR                                                             \
	F_CONST("state", &const_qp_state, "state of the queue pair"),         \
	F_CONST("cur_state", &const_qp_state, "its current state"),           \
	F_CONST("path_mtu", &const_mtu, "path MTU"),                          \
	F_FLAGS("access", &const_access, "remote operations that are allowed"), \
	F_INT("qkey", "Q_Key of datagrams"),                                  \
	F_INT("rq_psn", "next packet number to be received"),                 \
	F_INT("sq_psn", "next packet number to be sent"),                     \
	F_INT("dest_qp_num", "number of the peer's queue pair"),              \
	F_INT("pkey_index", "index of the partition key"),                    \
	F_BOOL("sq_draining", "whether the send queue is draining"),          \
	F_INT("max_rd_atomic", "RDMA reads and atomics outstanding as initiator"), \
	F_INT("max_dest_rd_atomic", "RDMA reads and atomics outstanding as responder"),                 \
	F_INT("min_rnr_timer", "code of the receiver-not-ready time"),        \
	F_INT("port", "port number"),                                         \
	F_INT("timeout", "local ACK timeout exponent"),                       \
	F_INT("retry_cnt", "retries after a timeout"),                        \
	F_INT("rnr_retry", "retries after receiver not ready"),               \
	F_STRING("dest_gid", "GID of the peer in the address vector"),        \
	F_INT("gid_index", "index of this side's GID in the address vector"),            \
	F_INT("traffic_class", "traffic class in the address vector"),        \
	F_BOOL("is_global", "whether the address vector uses the GRH"),       \
	F_INT("dlid", "LID of the peer in the address vector"),               \
	F_INT("av_port", "port number in the address vector"),                \
	F_QP_CAPS

#define QP_MASK_ALL 0x1fffff	/* every bit up to IBV_QP_DEST_QPN */

void qp_init_from_args(struct ibv_qp_init_attr *init, const struct value *args);
void qp_put_caps(struct value *result, const struct ibv_qp_cap *cap);
int qp_attr_from_args(const struct step_ctx *ctx, const struct value *args,
		      struct ibv_qp_attr *attr, int *mask, struct vbm_error *err);
void qp_put_attr(struct value *result, const struct ibv_qp_attr *attr);

#endif
