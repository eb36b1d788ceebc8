/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_RESOLVE_H
#define VERBATIM_RESOLVE_H

#include <verbatim/addrinfo.h>
#include <verbatim/api.h>
#include <verbatim/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Asynchronous address resolution. A channel gathers the events of its ids
 * behind one descriptor; nothing happens but inside these calls, which never
 * wait for the network, but vbm_get_event() with a time-out and
 * vbm_resolve_addrinfo() on an id without a channel.
 *
 * Calls on one channel may come from several threads; what one of them destroys
 * must be in no other's hands. After fork(2) only the process that made a channel
 * may use it.
 *
 * Calls that return int and take a struct vbm_error return 0 or a negative
 * errno, and fill *@err when it is not NULL. vbm_resolve_addrinfo() and
 * vbm_query_addrinfo() return as rdma_resolve_addrinfo(3) does: 0, or -1 with
 * errno.
 */
struct vbm_channel;
struct vbm_id;

/* -EMFILE -ENFILE -ENOMEM, or what epoll_create1(2) and its kin fail with. */
VBM_API int vbm_create_channel(struct vbm_channel **channel, struct vbm_error *err);

/* -EBUSY while it has ids, or events not acknowledged. NULL is fine. */
VBM_API int vbm_destroy_channel(struct vbm_channel *channel, struct vbm_error *err);

/* Readable, for poll(2) and its kin, when vbm_get_event() is worth a call. */
VBM_API int vbm_channel_fd(const struct vbm_channel *channel);

/*
 * An id of its own, or one around @cm_id, which stays the caller's: events of
 * its event channel then arrive on @channel too, and only there. Without a
 * @channel (NULL) the id's requests are waited for. -ENOMEM, -EINVAL for a
 * @cm_id without an event channel, and what epoll_ctl(2) fails with.
 */
VBM_API int vbm_create_id(struct vbm_channel *channel, void *context,
			  struct vbm_id **id, struct vbm_error *err);
VBM_API int vbm_wrap_id(struct vbm_channel *channel, struct rdma_cm_id *cm_id,
			void *context, struct vbm_id **id, struct vbm_error *err);

/*
 * A request under way ends without an event. -EBUSY while an event of the id
 * is not acknowledged. NULL is fine.
 */
VBM_API int vbm_destroy_id(struct vbm_id *id, struct vbm_error *err);

VBM_API void *vbm_id_context(const struct vbm_id *id);
VBM_API struct rdma_cm_id *vbm_id_cm_id(const struct vbm_id *id);	/* NULL: none */

/*
 * Requests started from now on end at the latest after @ms milliseconds, with
 * EAI_AGAIN; 0, as at first: only when name servers have had their time.
 */
VBM_API void vbm_set_timeout(struct vbm_id *id, unsigned int ms);

/*
 * Start a resolution, as rdma_resolve_addrinfo(3) says. The arguments are
 * copied. Each request that was started ends in exactly one event,
 * RDMA_CM_EVENT_ADDRINFO_RESOLVED or RDMA_CM_EVENT_ADDRINFO_ERROR; one that
 * was not, in none. errno:
 *	EINVAL		@id NULL; bad flags, lengths or pointers in @hints;
 *			RAI_SA without a service, with a name of more than 63
 *			bytes, or with an id that is bound to no device
 *	EAFNOSUPPORT	a family that vbm_getaddrinfo() calls EAI_FAMILY
 *	EPROTOTYPE	a QP type or port space that it calls EAI_QPTYPE
 *	ENOTSUP		RAI_SA with RAI_DNS or with a node; RAI_SA where the
 *			port is not InfiniBand or librdmacm cannot
 *	EBUSY		an earlier request has not ended, or not been queried
 *	ENOMEM
 * and on an id without a channel what the request itself came to.
 */
VBM_API int vbm_resolve_addrinfo(struct vbm_id *id, const char *node,
				 const char *service,
				 const struct rdma_addrinfo *hints);

/*
 * Take the result of the request whose RDMA_CM_EVENT_ADDRINFO_RESOLVED was
 * the last event; vbm_freeaddrinfo() releases it. EINVAL for NULL, ENOENT when
 * there is none, or none any more.
 */
VBM_API int vbm_query_addrinfo(struct vbm_id *id, struct rdma_addrinfo **info);

/*
 * End the request under way now, with an event whose status is EAI_CANCELED.
 * -ENOENT when there is none.
 */
VBM_API int vbm_cancel(struct vbm_id *id);

struct vbm_event {
	struct vbm_id *id;	/* of the request, or around the rdma_cm_id;
				 * NULL when nothing is around that one */
	int event;		/* enum rdma_cm_event_type */
	int status;		/* ADDRINFO_ERROR: the code vbm_getaddrinfo()
				 * would return, or EAI_CANCELED; with RAI_SA,
				 * and in rdma_cm's events, what it says */
	int error;		/* errno of EAI_SYSTEM */
	struct rdma_cm_event *cm;	/* rdma_cm's own event, to be read until
				 * vbm_ack_event(); NULL for ADDRINFO_ ones */
};

/*
 * The next event, waiting for it up to @timeout_ms milliseconds (-1: without
 * limit, 0: not at all). Every event is to be acknowledged, which releases it.
 * -EAGAIN when there is none, -ENOMEM, or what rdma_get_cm_event(3) sets.
 */
VBM_API int vbm_get_event(struct vbm_channel *channel, struct vbm_event **event,
			  int timeout_ms, struct vbm_error *err);
VBM_API void vbm_ack_event(struct vbm_event *event);

#ifdef __cplusplus
}
#endif
#endif
