/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_RESOLVE_H
#define VERBATIM_RESOLVE_H

#include <verbatim/addrinfo.h>
#include <verbatim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Asynchronous address resolution: first on an rdma_cm_id, by the calls of
 * rdma_resolve_addrinfo(3), then by requests that need no rdma_cm_id and can be
 * many, cancelled and given a time limit.
 *
 * Every function here that returns int returns 0, or -1 with errno. NULL where
 * a pointer is needed is EINVAL. Calls may come from several threads; what one
 * of them destroys or frees, no other may use any more.
 */

/*
 * An rdma_cm_id that asks this library takes these six calls in place of those
 * of librdmacm with the same names (rdma_create_id(3) and its kin). Each does
 * what its namesake does, with the same arguments, results and errno values,
 * and minds the requests of the id besides. All other calls of rdma_cm stay
 * librdmacm's.
 *
 * vbm_create_id() with a NULL @channel makes an id whose calls wait.
 * vbm_destroy_id() ends a request under way without an event, and waits until
 * the events that were fetched are acknowledged. vbm_migrate_id() takes a request
 * and its event along.
 *
 * vbm_get_cm_event() takes one event from the kernel, never more, and only when
 * it is called. The descriptor of @channel is readable for events of both kinds.
 */
VBM_API int vbm_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
			  void *context, enum rdma_port_space ps);
VBM_API int vbm_destroy_id(struct rdma_cm_id *id);
VBM_API int vbm_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel);
VBM_API int vbm_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
VBM_API int vbm_ack_cm_event(struct rdma_cm_event *event);

/* rdma_event_str(3), which also knows the events that came with rdma-core 60. */
VBM_API const char *vbm_event_str(enum rdma_cm_event_type event);

/*
 * Start a resolution, as rdma_resolve_addrinfo(3) says. The arguments are
 * copied. Each request that was started ends in exactly one event of the id's
 * channel, RDMA_CM_EVENT_ADDRINFO_RESOLVED or RDMA_CM_EVENT_ADDRINFO_ERROR,
 * whose status is the code that vbm_getaddrinfo() would return, or
 * EAI_CANCELED. A request that was not started ends in none. The call does not
 * wait for the network. errno:
 *	EINVAL		@id NULL; bad flags, lengths or pointers in @hints;
 *			RAI_SA without a service, with a name of more than 63
 *			bytes, or with an id that is bound to no device
 *	EAFNOSUPPORT	a family that vbm_getaddrinfo() calls EAI_FAMILY
 *	EPROTOTYPE	a QP type or port space that it calls EAI_QPTYPE
 *	ENOTSUP		RAI_SA with RAI_DNS or with a node; RAI_SA where the
 *			port is not InfiniBand or librdmacm cannot
 *	EBUSY		an earlier request has not ended, or not been queried
 *	EAGAIN		no thread can be started to wait for the network
 *	ENOMEM
 *
 * On an id whose calls wait there is no event: the call returns when the
 * request has ended, and errno says what became of it: EADDRNOTAVAIL for
 * EAI_ADDRFAMILY, EAGAIN for EAI_AGAIN, EREMOTEIO for EAI_FAIL, ENODATA for
 * EAI_NODATA, ENOENT for EAI_NONAME, EPROTONOSUPPORT for EAI_SERVICE, ENOMEM
 * for EAI_MEMORY, and for EAI_SYSTEM its own.
 */
VBM_API int vbm_resolve_addrinfo(struct rdma_cm_id *id, const char *node,
				 const char *service, const struct rdma_addrinfo *hints);

/*
 * Take the result of the request whose RDMA_CM_EVENT_ADDRINFO_RESOLVED was
 * fetched last; vbm_freeaddrinfo() releases it. ENOENT when there is none, or
 * none any more.
 */
VBM_API int vbm_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info);

/*
 * End the request under way on @id now, with an event whose status is
 * EAI_CANCELED. ENOENT when there is none.
 */
VBM_API int vbm_cancel(struct rdma_cm_id *id);

/*
 * A resolver runs any number of requests behind one descriptor. Nothing moves
 * but in the calls on it: there is no thread. It needs no RDMA device. After
 * fork(2) only the process that made it may use it.
 */
struct vbm_resolver;
struct vbm_request;

/* EMFILE, ENFILE, ENOMEM. */
VBM_API int vbm_create_resolver(struct vbm_resolver **resolver);

/* EBUSY while it has requests that were not freed. */
VBM_API int vbm_destroy_resolver(struct vbm_resolver *resolver);

/* A descriptor that is readable when vbm_next_request() is worth a call. */
VBM_API int vbm_resolver_fd(const struct vbm_resolver *resolver);

/*
 * Start a resolution of its own, with the arguments and errno values of
 * vbm_resolve_addrinfo(), but that RAI_SA is ENOTSUP, as it needs an rdma_cm_id.
 * With a @timeout_ms above 0 it ends after that many milliseconds at the
 * latest, with EAI_AGAIN; else when the name servers have had their time. The
 * caller frees *@request by vbm_free_request().
 */
VBM_API int vbm_start_request(struct vbm_resolver *resolver, const char *node,
			      const char *service, const struct rdma_addrinfo *hints,
			      int timeout_ms, void *context, struct vbm_request **request);

/*
 * The next request that has ended, each once, waiting for it up to @timeout_ms
 * milliseconds (-1: without limit, 0: not at all). EAGAIN when none has, EINTR
 * when a signal came while it waited.
 */
VBM_API int vbm_next_request(struct vbm_resolver *resolver, int timeout_ms,
			     struct vbm_request **request);

VBM_API void *vbm_request_context(const struct vbm_request *request);

/*
 * What became of the request: 0, the code that vbm_getaddrinfo() would return
 * (with errno for EAI_SYSTEM), EAI_CANCELED, or EAI_INPROGRESS while it is
 * under way. -1 with errno EINVAL for NULL.
 */
VBM_API int vbm_request_code(const struct vbm_request *request);

/* Take the list of a request that ended well. ENOENT when it is not there. */
VBM_API int vbm_request_result(struct vbm_request *request, struct rdma_addrinfo **info);

/* End it now, with EAI_CANCELED. ENOENT when it has ended already. */
VBM_API int vbm_cancel_request(struct vbm_request *request);

/* At any time. A request under way stops, and vbm_next_request() never gives it. */
VBM_API int vbm_free_request(struct vbm_request *request);

#ifdef __cplusplus
}
#endif
#endif
