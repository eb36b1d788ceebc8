/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of names/consts.h for constants of verbs and of the handshake over TCP. */
#include "names/consts.h"

#include <infiniband/verbs.h>

/*
 * The oldest supported rdma-core lacks these. Their values are part of rdma-core's ABI and
 * never change.
 */
#define VBM_QP_EX_WITH_FLUSH (1 << 11)
#define VBM_QP_EX_WITH_ATOMIC_WRITE (1 << 12)

#define MW(name) {#name, IBV_MW_TYPE_##name}
CONSTS(const_mw_type, "IBV_MW_TYPE_", MW(1), MW(2));

#define SRQ(name) {#name, IBV_SRQ_##name}
FLAGS(const_srq_attr_mask, "IBV_SRQ_", SRQ(MAX_WR), SRQ(LIMIT));

#define REREG(name) {#name, IBV_REREG_MR_##name}
FLAGS(const_rereg, "IBV_REREG_MR_", REREG(CHANGE_TRANSLATION), REREG(CHANGE_PD), REREG(CHANGE_ACCESS));

#define ADVICE(name) {#name, IBV_ADVISE_MR_ADVICE_##name}
CONSTS(const_advice, "IBV_ADVISE_MR_ADVICE_", ADVICE(PREFETCH), ADVICE(PREFETCH_WRITE), ADVICE(PREFETCH_NO_FAULT));

#define ADVISE(name) {#name, IBV_ADVISE_MR_FLAG_##name}
FLAGS(const_advise_flag, "IBV_ADVISE_MR_FLAG_", ADVISE(FLUSH));

#define REREG_ERR(name) {#name, IBV_REREG_MR_ERR_##name}
CONSTS(const_rereg_error, "IBV_REREG_MR_ERR_",
	{"OK", 0}, REREG_ERR(INPUT), REREG_ERR(DONT_FORK_NEW), REREG_ERR(DO_FORK_OLD), REREG_ERR(CMD),
	REREG_ERR(CMD_AND_DO_FORK_NEW));

/* Of ibv_wr_flush(3), which some releases of rdma-core lack. */
FLAGS(const_flush_type, "IBV_FLUSH_", {"GLOBAL", 1}, {"PERSISTENT", 2});

CONSTS(const_flush_level, "IBV_FLUSH_", {"RANGE", 0}, {"MR", 1});

#define WITH(name) {#name, IBV_QP_EX_WITH_##name}
FLAGS(const_send_ops, "IBV_QP_EX_WITH_",
	WITH(RDMA_WRITE), WITH(RDMA_WRITE_WITH_IMM), WITH(SEND), WITH(SEND_WITH_IMM), WITH(RDMA_READ),
	WITH(ATOMIC_CMP_AND_SWP), WITH(ATOMIC_FETCH_AND_ADD), WITH(LOCAL_INV), WITH(BIND_MW),
	WITH(SEND_WITH_INV), WITH(TSO), {"FLUSH", VBM_QP_EX_WITH_FLUSH},
	{"ATOMIC_WRITE", VBM_QP_EX_WITH_ATOMIC_WRITE});

/* docs/handshake.md, "The message" and "What we decided". */
CONSTS(const_handshake_flag, "", {"NONE", 0}, {"SYNC", 1}, {"ACK", 2}, {"SYNC_ACK", 3}, {"REFUSAL", 4});
