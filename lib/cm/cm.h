/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_CM_H
#define VBM_LIB_CM_H

#include <stdbool.h>

#include <verbatim/resolve.h>

/*
 * The calls of librdmacm that the library makes. The preload library defines
 * the same names; there these pointers lead to librdmacm's own.
 */
struct cm_calls {
	int (*create_id)(struct rdma_event_channel *channel, struct rdma_cm_id **id,
			 void *context, enum rdma_port_space ps);
	int (*destroy_id)(struct rdma_cm_id *id);
	int (*migrate_id)(struct rdma_cm_id *id, struct rdma_event_channel *channel);
	int (*get_cm_event)(struct rdma_event_channel *channel, struct rdma_cm_event **event);
	int (*ack_cm_event)(struct rdma_cm_event *event);
};

extern struct cm_calls vbm_cm_calls;

/* Before rdma_destroy_id(3): end what the library has under way for @id. */
void vbm_cm_forget(struct rdma_cm_id *id);

/* Note that the calls of @id wait: it was made without an event channel. */
int vbm_cm_note_waits(struct rdma_cm_id *id);

/*
 * A bell is an rdma_cm_id of the library's own on the event channel of a
 * program. An event of the kernel for it, of whatever kind, means that an event
 * of the library is ready: so the channel's descriptor, and a thread that waits
 * in rdma_get_cm_event(3), learn of both kinds in one way.
 *
 * Ring one: an event will follow. NULL with errno when none can.
 */
struct rdma_cm_id *vbm_bell_ring(struct rdma_event_channel *channel);
bool vbm_bell_rang(const struct rdma_cm_event *event);
void vbm_bell_free(struct rdma_cm_id *bell);	/* NULL is fine */

/* RAI_SA goes to librdmacm, which asks the kernel. 0 or -1 with errno. */
int vbm_sa_resolve(struct rdma_cm_id *id, const char *node, const char *service,
		   const struct rdma_addrinfo *hints);
int vbm_sa_query(struct rdma_cm_id *id, struct rdma_addrinfo **info);

#endif
