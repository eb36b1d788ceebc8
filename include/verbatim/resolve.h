/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_RESOLVE_H
#define VERBATIM_RESOLVE_H

#include <verbatim/addrinfo.h>
#include <verbatim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order. Without an rdma_cm_id:
 *	vbm_create_resolver()	vbm_resolver_fd() is readable when a request has ended
 *	vbm_start_request()	for each name; vbm_cancel_request() ends one early
 *	vbm_next_request()	the next that has ended: vbm_request_context(), vbm_request_code(),
 *				and vbm_request_result() for the list
 *	vbm_free_request()	each of them, then vbm_destroy_resolver()
 * On an rdma_cm_id:
 *	vbm_create_id()		in place of rdma_create_id(3); vbm_migrate_id() likewise
 *	vbm_resolve_addrinfo()	vbm_cancel() ends it early
 *	vbm_get_cm_event()	vbm_query_addrinfo() for the list, vbm_ack_cm_event(); vbm_event_str()
 *	vbm_destroy_id()
 */

/*
 * Asynchronous address resolution: first on an rdma_cm_id, by the calls of
 * rdma_resolve_addrinfo(3), then by requests that need no rdma_cm_id. There can be many
 * such requests; each can be cancelled and have a time limit.
 *
 * Every function here that returns int returns 0, or -1 with errno. NULL for a pointer
 * that is needed is EINVAL. Several threads may call these functions. When one thread
 * destroys or frees an object, no other thread may use that object any more.
 */

/*
 * A program that resolves on an rdma_cm_id must use these six calls for that id instead of
 * librdmacm's calls of the same names (rdma_create_id(3) and others). Each has the same
 * arguments, results and errno values, and handles the id's requests as well. All other
 * calls of rdma_cm remain librdmacm's.
 *
 * vbm_create_id() with a NULL @channel makes an id whose calls wait. vbm_destroy_id() ends
 * a request under way without an event, and waits until the fetched events are
 * acknowledged. vbm_migrate_id() moves a request and its event as well.
 *
 * vbm_get_cm_event() fetches at most one event from the kernel, and only when the program
 * calls it. The descriptor of @channel is readable for events of the library and of the
 * kernel.
 */
VBM_API int vbm_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
			  void *context, enum rdma_port_space ps);
VBM_API int vbm_destroy_id(struct rdma_cm_id *id);
VBM_API int vbm_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel);
VBM_API int vbm_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
VBM_API int vbm_ack_cm_event(struct rdma_cm_event *event);

/* rdma_event_str(3), with the events that came with rdma-core 60. */
VBM_API const char *vbm_event_str(enum rdma_cm_event_type event);

/*
 * Start a resolution, as rdma_resolve_addrinfo(3) says. The arguments are
 * copied. Each request that was started ends with exactly one event on the id's
 * channel, RDMA_CM_EVENT_ADDRINFO_RESOLVED or RDMA_CM_EVENT_ADDRINFO_ERROR,
 * whose status is the code that vbm_getaddrinfo() would return, or
 * EAI_CANCELED. If the call fails there is no event. The call does not wait for
 * the network. errno:
 *	EINVAL		@id NULL; bad flags, lengths or pointers in @hints;
 *			RAI_SA without a service, with a name of more than 63
 *			bytes, or with an id that is not bound to a device
 *	EAFNOSUPPORT	a family that vbm_getaddrinfo() calls EAI_FAMILY
 *	EPROTOTYPE	a QP type or port space that it calls EAI_QPTYPE
 *	ENOTSUP		RAI_SA with RAI_DNS or with a node; RAI_SA on a port
 *			that is not InfiniBand, or with a librdmacm that lacks it
 *	EBUSY		an earlier request has not ended, or its result has not
 *			been taken
 *	EAGAIN		no thread can be started to wait for the network
 *	ENOMEM
 *
 * On an id whose calls wait there is no event: the call returns when the
 * request has ended. errno has its error: EADDRNOTAVAIL for
 * EAI_ADDRFAMILY, EAGAIN for EAI_AGAIN, EREMOTEIO for EAI_FAIL, ENODATA for
 * EAI_NODATA, ENOENT for EAI_NONAME, EPROTONOSUPPORT for EAI_SERVICE, ENOMEM
 * for EAI_MEMORY, and for EAI_SYSTEM the errno of the failed call.
 */
VBM_API int vbm_resolve_addrinfo(struct rdma_cm_id *id, const char *node,
				 const char *service, const struct rdma_addrinfo *hints);

/*
 * Take the result of the request whose RDMA_CM_EVENT_ADDRINFO_RESOLVED was fetched last;
 * vbm_freeaddrinfo() releases it. ENOENT: there is no result, or it was taken before.
 */
VBM_API int vbm_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info);

/*
 * End the request on @id now, with an event whose status is EAI_CANCELED. ENOENT: no
 * request is under way.
 */
VBM_API int vbm_cancel(struct rdma_cm_id *id);

/*
 * A resolver runs any number of requests behind one descriptor. It has no thread: requests
 * advance only in calls on the resolver. It needs no RDMA device. After fork(2) only the
 * process that made it may use it.
 */
struct vbm_resolver;
struct vbm_request;

/* EMFILE, ENFILE, ENOMEM. */
VBM_API int vbm_create_resolver(struct vbm_resolver **resolver);

/* EBUSY while it has requests that have not been freed. */
VBM_API int vbm_destroy_resolver(struct vbm_resolver *resolver);

/* A descriptor that is readable when the program should call vbm_next_request(). */
VBM_API int vbm_resolver_fd(const struct vbm_resolver *resolver);

/*
 * Start a request, with the arguments and errno values of vbm_resolve_addrinfo(), except
 * that RAI_SA is ENOTSUP, because it needs an rdma_cm_id. With a @timeout_ms above 0 the
 * request ends after that many milliseconds at the latest, with EAI_AGAIN. Otherwise it
 * ends when the time-outs of the name servers are over. The caller frees *@request with
 * vbm_free_request().
 */
VBM_API int vbm_start_request(struct vbm_resolver *resolver, const char *node,
			      const char *service, const struct rdma_addrinfo *hints,
			      int timeout_ms, void *context, struct vbm_request **request);

/*
 * The next ended request; each is returned once. Waits up to @timeout_ms milliseconds (-1:
 * no limit, 0: no waiting). EAGAIN: no request has ended. EINTR: a signal came during the
 * wait.
 */
VBM_API int vbm_next_request(struct vbm_resolver *resolver, int timeout_ms,
			     struct vbm_request **request);

VBM_API void *vbm_request_context(const struct vbm_request *request);

/*
 * The result of the request: 0, the code that vbm_getaddrinfo() would return (with errno
 * for EAI_SYSTEM), EAI_CANCELED, or EAI_INPROGRESS while it is under way. -1 with errno
 * EINVAL for NULL.
 */
VBM_API int vbm_request_code(const struct vbm_request *request);

/* Take the list of a request that has succeeded. ENOENT: there is no list. */
VBM_API int vbm_request_result(struct vbm_request *request, struct rdma_addrinfo **info);

/* End the request now, with EAI_CANCELED. ENOENT: it has ended already. */
VBM_API int vbm_cancel_request(struct vbm_request *request);

/* Allowed at any time. A request under way stops, and vbm_next_request() does not return it. */
VBM_API int vbm_free_request(struct vbm_request *request);

#ifdef __cplusplus
}
#endif
#endif
