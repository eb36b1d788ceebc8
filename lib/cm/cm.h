/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_CM_CM_H
#define VBM_LIB_CM_CM_H

/*
 * Runs in: the caller's threads; one thread of the library runs the engine.
 * Owns:    the requests of rdma_cm_ids; a lock is for all that both use.
 * Ends:    the thread ends when no request is left.
 * Tests:   unit/test_threads, test_resolver; tests/guest/cm.test.
 */

#include <stdbool.h>

#include <verbatim/resolve.h>

/*
 * The calls of librdmacm that the library makes. The preload library defines functions of
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

/* Before rdma_destroy_id(3): end the library's request for @id. */
void vbm_cm_forget(struct rdma_cm_id *id);

/* Record that the calls of @id wait, because it was made without an event channel. */
int vbm_cm_note_waits(struct rdma_cm_id *id);

/*
 * A notifier is an rdma_cm_id that the library makes on the event channel of a program. An
 * event of the kernel for a notifier, of whatever kind, means that an event of the library
 * is ready. So the channel's descriptor, and a thread that waits in rdma_get_cm_event(3),
 * learn of the library's events and of the kernel's in the same way.
 *
 * Make a notifier whose event will follow. NULL with errno on failure.
 */
struct rdma_cm_id *vbm_notifier_make(struct rdma_event_channel *channel);
bool vbm_is_notifier(const struct rdma_cm_event *event);
void vbm_notifier_free(struct rdma_cm_id *notifier);	/* NULL is fine */

/* RAI_SA goes to librdmacm, which asks the kernel. 0 or -1 with errno. */
int vbm_sa_resolve(struct rdma_cm_id *id, const char *node, const char *service,
		   const struct rdma_addrinfo *hints);
int vbm_sa_query(struct rdma_cm_id *id, struct rdma_addrinfo **info);

#endif
