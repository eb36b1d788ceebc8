/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/pair-values.h"

#include "base/xalloc.h"

static const struct pair_value values[] = {
	{"path_mtu", IBV_QP_PATH_MTU, PAIR_MTU, IBV_QPS_RTR},
	{"rq_psn", IBV_QP_RQ_PSN, PAIR_PSN, IBV_QPS_RTR},
	{"max_dest_rd_atomic", IBV_QP_MAX_DEST_RD_ATOMIC, PAIR_RD_ATOMIC, IBV_QPS_RTR},
	{"min_rnr_timer", IBV_QP_MIN_RNR_TIMER, PAIR_MIN_RNR_TIMER, IBV_QPS_RTR},
	{"sq_psn", IBV_QP_SQ_PSN, PAIR_PSN, IBV_QPS_RTS},
	{"timeout", IBV_QP_TIMEOUT, PAIR_TIMEOUT, IBV_QPS_RTS},
	{"retry_cnt", IBV_QP_RETRY_CNT, PAIR_RETRY_CNT, IBV_QPS_RTS},
	{"rnr_retry", IBV_QP_RNR_RETRY, PAIR_RNR_RETRY, IBV_QPS_RTS},
	{"max_rd_atomic", IBV_QP_MAX_QP_RD_ATOMIC, PAIR_RD_ATOMIC, IBV_QPS_RTS},
};

const struct pair_value *pair_value_nth(size_t i)
{
	return i < ARRAY_SIZE(values) ? &values[i] : NULL;
}
