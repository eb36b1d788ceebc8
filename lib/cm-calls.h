/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_CM_CALLS_H
#define VBM_LIB_CM_CALLS_H

#include <rdma/rdma_cma.h>

/*
 * The calls of librdmacm that the library makes and the preload library puts
 * itself in front of: there they are looked up behind it.
 */
struct cm_calls {
	int (*get_cm_event)(struct rdma_event_channel *channel, struct rdma_cm_event **event);
	int (*ack_cm_event)(struct rdma_cm_event *event);
};

extern struct cm_calls vbm_cm_calls;

#endif
