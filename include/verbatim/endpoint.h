/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_ENDPOINT_H
#define VERBATIM_ENDPOINT_H

#include <rdma/rdma_cma.h>

#include <verbatim/qp.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Connections, from a name to a queue pair that transfer.h works on: by rdma_cm,
 * or by the handshake of handshake.h. One word of the options says which.
 *
 * Every function here that returns int returns 0 or a positive errno value, and
 * the member error of the endpoint then says more. NULL where a pointer is
 * needed is EINVAL. An endpoint may be used by one thread at a time.
 *
 * Calls wait, up to the time limit of the options; a signal does not end them.
 * An endpoint with an event channel of the program does not wait: the program
 * takes the channel's events and hands each to vbm_endpoint_event().
 */

enum vbm_way {
	VBM_WAY_RDMA_CM,
	VBM_WAY_HANDSHAKE,
};

enum vbm_endpoint_state {
	VBM_ENDPOINT_IDLE,
	VBM_ENDPOINT_TRANSLATING,	/* the name, into addresses */
	VBM_ENDPOINT_RESOLVING_ADDR,
	VBM_ENDPOINT_RESOLVING_ROUTE,
	VBM_ENDPOINT_CONNECTING,	/* asked, not answered */
	VBM_ENDPOINT_LISTENING,
	VBM_ENDPOINT_REQUESTED,		/* a peer asks, and is not answered */
	VBM_ENDPOINT_ACCEPTING,		/* answered; the peer's last word is missing */
	VBM_ENDPOINT_CONNECTED,
	VBM_ENDPOINT_DISCONNECTING,
	VBM_ENDPOINT_DISCONNECTED,	/* by either side; or the request was rejected */
	VBM_ENDPOINT_FAILED,
	VBM_ENDPOINT_REMOVED,		/* the device has gone */
};

struct vbm_endpoint {
	struct rdma_cm_id *id;		/* NULL by the handshake, and after a failure */
	struct vbm_qp *qp;		/* NULL where there is none (yet) */
	int socket;			/* of the handshake; else -1 */
	enum vbm_endpoint_state state;
	int reason;			/* status of the last event that was a failure */
	const void *private_data;	/* of the peer's last message; NULL without */
	size_t private_data_len;	/* bytes; rdma_cm fills them up with zeros */
	struct ibv_ah *ah;		/* of IBV_QPT_UD, connected: where the peer is */
	uint32_t remote_qkey;		/* of IBV_QPT_UD; its number is in qp->peer */
	void *context;			/* the program's */
	struct vbm_error error;		/* what the last call that failed said */
};

struct vbm_endpoint_options {
	enum vbm_way way;		/* VBM_WAY_RDMA_CM */
	struct vbm_qp_options qp;	/* the defaults, but rnr_retry 6: not without end */
	int timeout_ms;			/* 5000: of one call as a whole; -1: no limit */
	int backlog;			/* 128 requests, of a listener */
	const void *private_data;	/* NULL: sent with the request to connect */
	size_t private_data_len;	/* 0 bytes */
	const struct rdma_addrinfo *list;	/* NULL: translate node and service */
	struct rdma_event_channel *channel;	/* NULL: calls wait */
	void *context;			/* NULL: the endpoint's */
	/*
	 * NULL. Before vbm_connect() asks the peer: the queue pair is in INIT, and
	 * can be given its receives. What is not 0 ends the call, and is returned.
	 */
	int (*prepare)(struct vbm_endpoint *ep);
	/*
	 * NULL. Before the next address is tried on a new queue pair: what prepare
	 * has made with this one has to be ended.
	 */
	void (*discard)(struct vbm_endpoint *ep);
};

/* Every member gets the value that stands beside it above. */
VBM_API void vbm_endpoint_options_init(struct vbm_endpoint_options *options);

/*
 * An endpoint in IDLE. @options (may be NULL) are copied, with the private data;
 * a list has to stay while vbm_connect() goes on. @error may be NULL. The caller
 * ends *@ep by vbm_destroy_endpoint(). EMSGSIZE: more private data than a
 * request has room for. EINVAL: the private data or the way is none.
 * EPROTOTYPE: a queue pair type that the way does not have. EOPNOTSUPP: the way
 * is the handshake, and it has no event channel. ENOMEM.
 */
VBM_API int vbm_create_endpoint(struct vbm_endpoint **ep,
				const struct vbm_endpoint_options *options,
				struct vbm_error *error);

/*
 * End the endpoint, with its queue pair, and its connection or what is under way
 * of it. NULL is fine. Events of the program's channel that were fetched have to
 * be handed in before. EBUSY: the program has made something with a member that
 * is still there, say a memory region in qp->pd; then the queue pair is gone,
 * and what is left can be ended by calling again.
 */
VBM_API int vbm_destroy_endpoint(struct vbm_endpoint *ep);

/*
 * Translate @node and @service as vbm_getaddrinfo() does (or take the list of
 * the options) and connect to the first address that will do, each on a queue
 * pair of its own. The time limit is shared out among them. With an event
 * channel it returns 0 when that is under way. From IDLE only.
 *
 * What it returns when no address will do is what the last one ended in:
 *	ECONNREFUSED	nobody listens there, or the peer rejected: reason and
 *			private_data say more; no further address is tried
 *			after the peer's program itself has rejected
 *	ECONNRESET	by the handshake: the peer closed the connection, or knows
 *			version 0 only
 *	ETIMEDOUT	no answer in time
 *	EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, ENODEV
 *			what the kernel says of the address, or there is no
 *			RDMA device where it leads
 *	EMSGSIZE	ai_connect of the address and the private data are
 *			together more than a request has room for
 *	ENOENT, EAGAIN	the name is not known, or not now
 *	EPROTO		by the handshake: the peer sent something else
 *	EBUSY		an earlier queue pair cannot be ended: see discard
 *	EIO		librdmacm could not finish a step, and does not say why
 *	EINVAL, ENOMEM, EMFILE, and what the calls of the way set errno to
 * The endpoint is then in FAILED. Its last queue pair, if any, is in ERR.
 */
VBM_API int vbm_connect(struct vbm_endpoint *ep, const char *node, const char *service);

/*
 * Take requests on @service of the local address @node (NULL: of every one).
 * EADDRINUSE; EADDRNOTAVAIL: @node is no address of this host; ENODEV: or of no
 * RDMA device; EACCES; ENOENT; EINVAL. From IDLE only.
 */
VBM_API int vbm_listen(struct vbm_endpoint *ep, const char *node, const char *service);

/*
 * The next request, waiting up to @timeout_ms milliseconds (-1: without limit).
 * *@ep is in REQUESTED with a queue pair in INIT: post its receives, then
 * answer by vbm_accept() or vbm_reject(). It has the listener's options and
 * context, and outlives it. One that its peer has given up by then is passed
 * over; a TCP connection of the handshake is a request when its first message is
 * there. ETIMEDOUT: none came. ENODEV: the listener's device
 * has gone. What else fails belongs to one request, which is then rejected; the
 * listener still listens.
 */
VBM_API int vbm_get_request(struct vbm_endpoint *listener, struct vbm_endpoint **ep,
			    int timeout_ms);

/*
 * Accept the request; @private_data may be NULL. EMSGSIZE: @len is more than an
 * answer has room for, and the request is still there. ECONNABORTED: the peer
 * has given up; ETIMEDOUT: it never answered. 0 can come with the state
 * DISCONNECTED, when the peer has already disconnected: what it sent before is
 * in the completion queue.
 */
VBM_API int vbm_accept(struct vbm_endpoint *ep, const void *private_data, size_t len);

/* Refuse it. EMSGSIZE and ECONNABORTED as before. */
VBM_API int vbm_reject(struct vbm_endpoint *ep, const void *private_data, size_t len);

/*
 * End the connection: the queue pair goes to ERR, and the peer is told. Waits
 * until it has answered. ETIMEDOUT: it has not; the endpoint is in DISCONNECTED
 * all the same. 0 in DISCONNECTED. ENOTCONN: there was no connection.
 */
VBM_API int vbm_disconnect(struct vbm_endpoint *ep);

/*
 * Wait until the connection has ended, by the peer's doing, for up to
 * @timeout_ms milliseconds (-1: without limit). ETIMEDOUT: it has not. ENODEV:
 * the device has gone. ENOTCONN: there was none. EINVAL: the events come by
 * the program's channel.
 */
VBM_API int vbm_wait_disconnect(struct vbm_endpoint *ep, int timeout_ms);

/*
 * Take the next step. @event was fetched from the program's channel for the
 * endpoint, which is the context of its rdma_cm_id; it is acknowledged here, and
 * must not be used afterwards. Fetch by vbm_get_cm_event(); where a list spares
 * the translation, rdma_get_cm_event(3) will do. For a listener, *@request is
 * the endpoint of the new request, else NULL. NULL for @event: the time is up.
 *
 * An endpoint without a channel of the program, by either way, is called with NULL
 * for @event when its descriptor is readable or its time is up: the call takes what
 * has happened, and does not wait.
 *
 * 0: the state says where the endpoint is now. Else what the step failed for,
 * as the calls that wait return it. EINVAL: the event is another endpoint's, and
 * is not acknowledged.
 */
VBM_API int vbm_endpoint_event(struct vbm_endpoint *ep, struct rdma_cm_event *event,
			       struct vbm_endpoint **request);

/*
 * Milliseconds until vbm_endpoint_event() has to be called with NULL, as
 * poll(2) takes them; -1: nothing is due.
 */
VBM_API int vbm_endpoint_timeout(const struct vbm_endpoint *ep);

/*
 * The descriptor for poll(2) with POLLIN: readable when a listener may have a
 * request, or a connection may have ended, and vbm_endpoint_event() has to look.
 * The channel's for an endpoint with one. It stays the endpoint's, is not to be
 * read, and may be another one after each call. -1: NULL, or there is none, as
 * before vbm_connect() and after the connection's end.
 */
VBM_API int vbm_endpoint_fd(const struct vbm_endpoint *ep);

/*
 * Let the events of @ep come by another @channel; NULL: its calls wait from now
 * on. Events that are fetched have to be handed in before. EOPNOTSUPP by the
 * handshake; what rdma_migrate_id(3) sets errno to. Between steps only: EBUSY
 * while something is under way and @channel is NULL.
 */
VBM_API int vbm_migrate_endpoint(struct vbm_endpoint *ep, struct rdma_event_channel *channel);

#ifdef __cplusplus
}
#endif
#endif
