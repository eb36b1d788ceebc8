/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_CM_H
#define VBM_LIB_ENDPOINT_CM_H

#include "lib/endpoint/endpoint.h"

/* What the files endpoint-cm*.c share. All return 0 or a positive errno value. */

/* An event, apart from its channel: it is acknowledged already. */
struct endpoint_news {
	int kind;		/* as the table numbers them */
	struct rdma_cm_event event;
	uint8_t data[PRIVATE_DATA_MAX];	/* what @event's private data point at */
};

/* Take @event over, and acknowledge it. */
void vbm_endpoint_note(struct endpoint_news *news, struct rdma_cm_event *event);

/* Do what the table says. */
int vbm_endpoint_happens(struct endpoint *e, const struct endpoint_news *news);

/* Wait for the next event until @end (as vbm_loop_ms_left()), and let it happen. */
int vbm_endpoint_next_event(struct endpoint *e, int64_t end);

/* Until nothing is under way any more. */
void vbm_endpoint_drive(struct endpoint *e);

/* A channel of the endpoint's own, where its calls wait. */
int vbm_endpoint_own_channel(struct endpoint *e);

/* Ask for the address @at, or when that cannot begin for those behind it. */
int vbm_endpoint_try(struct endpoint *e);

/* The same when the one under way has failed for @code, which the error has. */
int vbm_endpoint_try_next(struct endpoint *e, int code);

/* The request is over, or the last address: FAILED. */
int vbm_endpoint_give_up(struct endpoint *e, int code);

/* Let go of the rdma_cm_id: what it had under way ends. */
void vbm_endpoint_drop_id(struct endpoint *e);

/* What rdma_connect(3) and rdma_accept(3) are asked for. */
void vbm_endpoint_param(const struct endpoint *e, struct rdma_conn_param *param);

/* The options that rdma_cm takes by rdma_set_option(3), on the id. */
void vbm_endpoint_set_options(struct endpoint *e);

#endif
