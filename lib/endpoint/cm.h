/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_CM_H
#define VBM_LIB_ENDPOINT_CM_H

#include "lib/endpoint/endpoint.h"

/*
 * The declarations that cm.c and cm-event.c share. All functions return 0 or a positive
 * errno value.
 */

/* A copy of an event, which has been acknowledged already. */
struct endpoint_news {
	int kind;		/* the event's number in the table */
	struct rdma_cm_event event;
	uint8_t data[PRIVATE_DATA_MAX];	/* the private data of @event */
};

/* Copy @event and acknowledge it. */
void vbm_endpoint_note(struct endpoint_news *news, struct rdma_cm_event *event);

/* Act on the event as the table says. */
int vbm_endpoint_happens(struct endpoint *e, const struct endpoint_news *news);

/* Act on the event that has come. 0 also when there is none. */
int vbm_endpoint_take_event(struct endpoint *e);

/* Wait for the next event until @end (see vbm_loop_ms_left()), and act on it. */
int vbm_endpoint_next_event(struct endpoint *e, int64_t end);

/* The time of the step is up. */
int vbm_endpoint_time_is_up(struct endpoint *e);

/* Handle events until nothing is under way. */
void vbm_endpoint_drive(struct endpoint *e);

/* Make an event channel of the endpoint's own, on which its calls wait. */
int vbm_endpoint_own_channel(struct endpoint *e);

/* Try the address @at. If it cannot start, try the addresses after it. */
int vbm_endpoint_try(struct endpoint *e);

/*
 * Try the next address after the present one failed with @code; the endpoint's error has
 * the details.
 */
int vbm_endpoint_try_next(struct endpoint *e, int code);

/* The operation has failed for good: state FAILED. */
int vbm_endpoint_give_up(struct endpoint *e, int code);

/* Destroy the rdma_cm_id, which ends its operations. */
void vbm_endpoint_drop_id(struct endpoint *e);

/* Fill in the parameters of rdma_connect(3) and rdma_accept(3). */
void vbm_endpoint_param(const struct endpoint *e, struct rdma_conn_param *param);

/* Set the options that rdma_cm takes by rdma_set_option(3) on the id. */
void vbm_endpoint_set_options(struct endpoint *e);

#endif
