/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of names/consts.h for constants of verbs and of the handshake over TCP. */
#include "names/consts.h"

#include <infiniband/verbs.h>

#include "base/xalloc.h"

/*
 * The oldest supported rdma-core lacks these. Their values are part of rdma-core's ABI and
 * never change.
 */
#define VBM_QP_EX_WITH_FLUSH (1 << 11)
#define VBM_QP_EX_WITH_ATOMIC_WRITE (1 << 12)

static const struct const_entry mw_type_entries[] = {
	{"1", IBV_MW_TYPE_1},
	{"2", IBV_MW_TYPE_2},
};

const struct const_set const_mw_type = {
	.name = "mw_type",
	.prefix = "IBV_MW_TYPE_",
	.entry = mw_type_entries,
	.count = ARRAY_SIZE(mw_type_entries),
};

static const struct const_entry srq_attr_mask_entries[] = {
	{"MAX_WR", IBV_SRQ_MAX_WR},
	{"LIMIT", IBV_SRQ_LIMIT},
};

const struct const_set const_srq_attr_mask = {
	.name = "srq_attr_mask",
	.prefix = "IBV_SRQ_",
	.flags = true,
	.entry = srq_attr_mask_entries,
	.count = ARRAY_SIZE(srq_attr_mask_entries),
};

static const struct const_entry rereg_entries[] = {
	{"CHANGE_TRANSLATION", IBV_REREG_MR_CHANGE_TRANSLATION},
	{"CHANGE_PD", IBV_REREG_MR_CHANGE_PD},
	{"CHANGE_ACCESS", IBV_REREG_MR_CHANGE_ACCESS},
};

const struct const_set const_rereg = {
	.name = "rereg",
	.prefix = "IBV_REREG_MR_",
	.flags = true,
	.entry = rereg_entries,
	.count = ARRAY_SIZE(rereg_entries),
};

static const struct const_entry advice_entries[] = {
	{"PREFETCH", IBV_ADVISE_MR_ADVICE_PREFETCH},
	{"PREFETCH_WRITE", IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE},
	{"PREFETCH_NO_FAULT", IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT},
};

const struct const_set const_advice = {
	.name = "advice",
	.prefix = "IBV_ADVISE_MR_ADVICE_",
	.entry = advice_entries,
	.count = ARRAY_SIZE(advice_entries),
};

static const struct const_entry advise_flag_entries[] = {
	{"FLUSH", IBV_ADVISE_MR_FLAG_FLUSH},
};

const struct const_set const_advise_flag = {
	.name = "advise_flag",
	.prefix = "IBV_ADVISE_MR_FLAG_",
	.flags = true,
	.entry = advise_flag_entries,
	.count = ARRAY_SIZE(advise_flag_entries),
};

static const struct const_entry rereg_error_entries[] = {
	{"OK", 0},
	{"INPUT", IBV_REREG_MR_ERR_INPUT},
	{"DONT_FORK_NEW", IBV_REREG_MR_ERR_DONT_FORK_NEW},
	{"DO_FORK_OLD", IBV_REREG_MR_ERR_DO_FORK_OLD},
	{"CMD", IBV_REREG_MR_ERR_CMD},
	{"CMD_AND_DO_FORK_NEW", IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW},
};

const struct const_set const_rereg_error = {
	.name = "rereg_error",
	.prefix = "IBV_REREG_MR_ERR_",
	.entry = rereg_error_entries,
	.count = ARRAY_SIZE(rereg_error_entries),
};

static const struct const_entry send_ops_entries[] = {
	{"RDMA_WRITE", IBV_QP_EX_WITH_RDMA_WRITE},
	{"RDMA_WRITE_WITH_IMM", IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM},
	{"SEND", IBV_QP_EX_WITH_SEND},
	{"SEND_WITH_IMM", IBV_QP_EX_WITH_SEND_WITH_IMM},
	{"RDMA_READ", IBV_QP_EX_WITH_RDMA_READ},
	{"ATOMIC_CMP_AND_SWP", IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP},
	{"ATOMIC_FETCH_AND_ADD", IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD},
	{"LOCAL_INV", IBV_QP_EX_WITH_LOCAL_INV},
	{"BIND_MW", IBV_QP_EX_WITH_BIND_MW},
	{"SEND_WITH_INV", IBV_QP_EX_WITH_SEND_WITH_INV},
	{"TSO", IBV_QP_EX_WITH_TSO},
	{"FLUSH", VBM_QP_EX_WITH_FLUSH},
	{"ATOMIC_WRITE", VBM_QP_EX_WITH_ATOMIC_WRITE},
};

/* Of ibv_wr_flush(3), which some releases of rdma-core lack. */
static const struct const_entry flush_type_entries[] = {
	{"GLOBAL", 1},
	{"PERSISTENT", 2},
};

const struct const_set const_flush_type = {
	.name = "flush_type",
	.prefix = "IBV_FLUSH_",
	.flags = true,
	.entry = flush_type_entries,
	.count = ARRAY_SIZE(flush_type_entries),
};

static const struct const_entry flush_level_entries[] = {
	{"RANGE", 0},
	{"MR", 1},
};

const struct const_set const_flush_level = {
	.name = "flush_level",
	.prefix = "IBV_FLUSH_",
	.entry = flush_level_entries,
	.count = ARRAY_SIZE(flush_level_entries),
};

const struct const_set const_send_ops = {
	.name = "send_ops",
	.prefix = "IBV_QP_EX_WITH_",
	.flags = true,
	.entry = send_ops_entries,
	.count = ARRAY_SIZE(send_ops_entries),
};

/* docs/handshake.md, "The message" and "What we decided". */
static const struct const_entry handshake_flag_entries[] = {
	{"NONE", 0},
	{"SYNC", 1},
	{"ACK", 2},
	{"SYNC_ACK", 3},
	{"REFUSAL", 4},
};

const struct const_set const_handshake_flag = {
	.name = "handshake_flag",
	.prefix = "",
	.entry = handshake_flag_entries,
	.count = ARRAY_SIZE(handshake_flag_entries),
};
