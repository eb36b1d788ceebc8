/* SPDX-License-Identifier: BSD-2-Clause */
#include "cm-calls.h"

struct cm_calls vbm_cm_calls = {
	.get_cm_event = rdma_get_cm_event,
	.ack_cm_event = rdma_ack_cm_event,
};
