/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/qp.h"

#include <string.h>

/*
 * InfiniBand specification, volume 1, 10.3.1 and 11.2.5.2. The alternate path and its
 * migration state are optional wherever InfiniBand allows them, even if a device does not
 * support them.
 */
#define ALT (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)
#define CONNECT (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RETRY (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY)

/* Every state has transitions to RESET and to ERR, which take no attribute. */
#define ALWAYS(type, from)                                                    \
	{type, from, IBV_QPS_RESET, 0, 0}, {type, from, IBV_QPS_ERR, 0, 0}
#define FROM_ANY(type)                                                        \
	ALWAYS(type, IBV_QPS_RESET), ALWAYS(type, IBV_QPS_INIT),              \
	ALWAYS(type, IBV_QPS_RTR), ALWAYS(type, IBV_QPS_RTS),                 \
	ALWAYS(type, IBV_QPS_SQD), ALWAYS(type, IBV_QPS_SQE),                 \
	ALWAYS(type, IBV_QPS_ERR)

static const struct vbm_qp_transition table[] = {
	FROM_ANY(IBV_QPT_RC),
	{IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT,
	 IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0},
	{IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_INIT, 0,
	 IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
	{IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR,
	 CONNECT | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	 IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
	{IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTS,
	 RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
	 IBV_QP_CUR_STATE | ALT | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER},
	{IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_RTS, 0,
	 IBV_QP_CUR_STATE | ALT | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER},
	{IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
	{IBV_QPT_RC, IBV_QPS_SQD, IBV_QPS_RTS, 0,
	 IBV_QP_CUR_STATE | ALT | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER},
	{IBV_QPT_RC, IBV_QPS_SQD, IBV_QPS_SQD, 0,
	 IBV_QP_PORT | IBV_QP_AV | RETRY | IBV_QP_MAX_QP_RD_ATOMIC |
	 IBV_QP_MAX_DEST_RD_ATOMIC | ALT | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX |
	 IBV_QP_MIN_RNR_TIMER},

	FROM_ANY(IBV_QPT_UC),
	{IBV_QPT_UC, IBV_QPS_RESET, IBV_QPS_INIT,
	 IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0},
	{IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_INIT, 0,
	 IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
	{IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_RTR, CONNECT,
	 IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
	{IBV_QPT_UC, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN,
	 IBV_QP_CUR_STATE | ALT | IBV_QP_ACCESS_FLAGS},
	{IBV_QPT_UC, IBV_QPS_RTS, IBV_QPS_RTS, 0,
	 IBV_QP_CUR_STATE | ALT | IBV_QP_ACCESS_FLAGS},
	{IBV_QPT_UC, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
	{IBV_QPT_UC, IBV_QPS_SQD, IBV_QPS_RTS, 0,
	 IBV_QP_CUR_STATE | ALT | IBV_QP_ACCESS_FLAGS},
	{IBV_QPT_UC, IBV_QPS_SQD, IBV_QPS_SQD, 0,
	 IBV_QP_AV | ALT | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
	{IBV_QPT_UC, IBV_QPS_SQE, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS},

	FROM_ANY(IBV_QPT_UD),
	{IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT,
	 IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0},
	{IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_INIT, 0,
	 IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY},
	{IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
	{IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY},
	{IBV_QPT_UD, IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
	{IBV_QPT_UD, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
	{IBV_QPT_UD, IBV_QPS_SQD, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
	{IBV_QPT_UD, IBV_QPS_SQD, IBV_QPS_SQD, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
	{IBV_QPT_UD, IBV_QPS_SQE, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
};

#define COUNT (sizeof(table) / sizeof(table[0]))

const struct vbm_qp_transition *vbm_qp_transitions(size_t *count)
{
	if (count)
		*count = COUNT;
	return table;
}

const struct vbm_qp_transition *vbm_qp_transition(enum ibv_qp_type qp_type,
						  enum ibv_qp_state from,
						  enum ibv_qp_state to)
{
	size_t i;

	for (i = 0; i < COUNT; i++)
		if (table[i].qp_type == qp_type && table[i].from == from && table[i].to == to)
			return &table[i];
	return NULL;
}

const char *vbm_qp_state_name(enum ibv_qp_state state)
{
	static const char *const name[] = {
		[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR",
		[IBV_QPS_RTS] = "RTS", [IBV_QPS_SQD] = "SQD", [IBV_QPS_SQE] = "SQE",
		[IBV_QPS_ERR] = "ERR",
	};

	return (size_t)state < sizeof(name) / sizeof(name[0]) ? name[state] : "an unknown state";
}

const char *vbm_qp_type_name(enum ibv_qp_type qp_type)
{
	return qp_type == IBV_QPT_RC ? "RC" : qp_type == IBV_QPT_UC ? "UC" :
	       qp_type == IBV_QPT_UD ? "UD" : NULL;
}
