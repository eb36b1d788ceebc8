/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_ENDPOINT_H
#define VERBATIM_ENDPOINT_H

#include <rdma/rdma_cma.h>

#include <verbatim/handshake.h>
#include <verbatim/qp.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order. The member qp is for the calls of transfer.h.
 *	vbm_endpoint_options_init()	and the way in the options: rdma_cm or the handshake
 *	vbm_create_endpoint()
 *	vbm_connect()		at a client; prepare of the options posts the first receives
 *	vbm_listen()		at a server; then vbm_get_request() for each client, and
 *				vbm_accept() or vbm_reject()
 *	vbm_wait_disconnect()	until the peer ends the connection, or vbm_disconnect()
 *	vbm_destroy_endpoint()
 * In the program's own loop: vbm_endpoint_fd(), vbm_endpoint_timeout() and vbm_endpoint_event().
 */

/*
 * Connections, from a name to a queue pair for the calls of transfer.h. The options say
 * whether rdma_cm or the handshake of handshake.h makes them.
 *
 * Every function here that returns int returns 0 or a positive errno value, and the member
 * error of the endpoint then has a message. NULL for a pointer that is needed is EINVAL.
 * Only one thread at a time may use an endpoint.
 *
 * Calls wait, up to the time limit of the options. A signal does not end them;
 * vbm_interrupt_endpoint() does. With the option no_wait they only begin, whichever way is
 * used: the program waits for the descriptor of vbm_endpoint_fd() and the time of
 * vbm_endpoint_timeout(), together with whatever else it waits for, and calls
 * vbm_endpoint_event(). By rdma_cm an event channel of
 * the program does the same for many endpoints: the program fetches the channel's events
 * and passes each to vbm_endpoint_event().
 */

enum vbm_way {
	VBM_WAY_RDMA_CM,
	VBM_WAY_HANDSHAKE,
};

enum vbm_endpoint_state {
	VBM_ENDPOINT_IDLE,
	VBM_ENDPOINT_TRANSLATING,	/* the name is being translated into addresses */
	VBM_ENDPOINT_RESOLVING_ADDR,
	VBM_ENDPOINT_RESOLVING_ROUTE,
	VBM_ENDPOINT_CONNECTING,	/* the request is sent, without an answer yet */
	VBM_ENDPOINT_LISTENING,
	VBM_ENDPOINT_REQUESTED,		/* a peer's request, without an answer yet */
	VBM_ENDPOINT_ACCEPTING,		/* the answer is sent, and the peer has not confirmed */
	VBM_ENDPOINT_CONNECTED,
	VBM_ENDPOINT_DISCONNECTING,
	VBM_ENDPOINT_DISCONNECTED,	/* by either side; or the request was rejected */
	VBM_ENDPOINT_FAILED,
	VBM_ENDPOINT_REMOVED,		/* the device has gone */
};

struct vbm_endpoint {
	struct rdma_cm_id *id;		/* NULL with the handshake, and after a failure */
	struct vbm_qp *qp;		/* NULL before there is one */
	int socket;			/* of the handshake; else -1 */
	enum vbm_endpoint_state state;
	int reason;			/* status of the last event that was a failure; see vbm_wait_disconnect() */
	const void *private_data;	/* of the peer's last message; NULL: it had none */
	size_t private_data_len;	/* bytes; rdma_cm pads them with zeros */
	struct ibv_ah *ah;		/* IBV_QPT_UD, at the end that connected: the peer's address */
	uint32_t remote_qkey;		/* IBV_QPT_UD, likewise; the other end has RDMA_UDP_QKEY */
	void *context;			/* the program's */
	struct vbm_error error;		/* of the last call that failed */
};

/* The options of an endpoint. Each comment begins with the default. */
struct vbm_endpoint_options {
	size_t size;			/* sizeof(struct vbm_endpoint_options) */
	enum vbm_way way;		/* VBM_WAY_RDMA_CM */
	struct vbm_qp_options qp;	/* the defaults, except that rnr_retry is 6, so that retries end */
	int timeout_ms;			/* 5000: for a whole call; -1: no limit */
	int backlog;			/* 128 requests, of a listener; by the handshake at most 1024 */
	const void *private_data;	/* NULL: sent with the request to connect */
	size_t private_data_len;	/* 0 bytes */
	const struct rdma_addrinfo *list;	/* NULL: translate node and service */
	struct rdma_event_channel *channel;	/* NULL: calls wait */
	void *context;			/* NULL: the endpoint's */
	/*
	 * NULL. The endpoint calls it before vbm_connect() sends the request, and that of a
	 * request before vbm_get_request() or vbm_endpoint_event() returns it. The queue pair
	 * is in INIT, and the program can post its receives. Any value except 0 ends the call
	 * and is returned; a request is then rejected.
	 */
	int (*prepare)(struct vbm_endpoint *ep);
	/*
	 * NULL. The endpoint calls it before it tries the next address with a new queue
	 * pair, and when prepare has failed for a request. The program must destroy
	 * everything that prepare made with this queue pair.
	 */
	void (*discard)(struct vbm_endpoint *ep);
	/*
	 * 0: vbm_connect(), vbm_accept() and vbm_disconnect() wait until they have finished.
	 * Not 0: they begin, and the program's loop goes on with vbm_endpoint_event(): by both
	 * ways alike. The other calls do as their time limit says.
	 */
	int no_wait;
	/* 0; else vbm_interrupt_endpoint() ends calls that wait. That costs a descriptor. */
	int interruptible;
	/*
	 * 10000: by the handshake a peer that is silent for so many milliseconds, because its
	 * cable is cut or its host has died, has ended the connection. -1: silence is no end.
	 * At least 1000. rdma_cm has no such limit: see vbm_wait_disconnect().
	 */
	int keepalive_ms;
	/*
	 * 0; else when no address can be reached the addresses are tried again after so many
	 * milliseconds, then after twice as many each time, up to 8 times as many, until the
	 * time limit. A peer's program that rejects is not asked again.
	 */
	int retry_ms;
	/*
	 * NULL; by the handshake: authenticate of struct vbm_handshake_options, with the
	 * context of the endpoint, for each client the one that the listener had at
	 * vbm_listen(). Clients that it refuses make no request. It
	 * is called in the calls of the endpoint, and may call nothing of it.
	 */
	int (*authenticate)(void *context, struct vbm_handshake_auth *auth);
};

/* Sets the size and the defaults given above, those of the member qp, too. */
VBM_API void vbm_endpoint_options_init_sized(struct vbm_endpoint_options *options, size_t size);

static inline void vbm_endpoint_options_init(struct vbm_endpoint_options *options)
{
	vbm_endpoint_options_init_sized(options, sizeof(*options));
}

/*
 * Make an endpoint in IDLE. @options (may be NULL) and the private data are copied; a list
 * must stay valid until vbm_connect() has finished. @error may be NULL. The caller
 * destroys *@ep with vbm_destroy_endpoint(). EMSGSIZE: a request cannot carry so much
 * private data. EINVAL: invalid private data or way. EPROTOTYPE: the way does not have
 * this type of queue pair. EOPNOTSUPP: an event channel with the handshake. ENOMEM.
 */
VBM_API int vbm_create_endpoint(struct vbm_endpoint **ep,
				const struct vbm_endpoint_options *options,
				struct vbm_error *error);

/*
 * Destroy the endpoint and its queue pair, and end its connection or the operation under
 * way. NULL is allowed. The program must pass fetched events of its channel to the
 * endpoint before. EBUSY: the program still has an object that uses a member, for example
 * a memory region in qp->pd. The queue pair is then destroyed, and another call destroys
 * the rest. EBUSY also: prepare or discard of the endpoint makes this call.
 */
VBM_API int vbm_destroy_endpoint(struct vbm_endpoint *ep);

/*
 * Translate @node and @service as vbm_getaddrinfo() does (or take the list of
 * the options) and try to connect to the addresses in order, each with a new queue
 * pair, until one works. They share the time limit. With no_wait or an event channel the
 * function returns 0 when the first attempt has begun; errors that are known at once it
 * returns itself. From IDLE only.
 *
 * If no address works, the function returns the error of the one that came furthest, and
 * the message of the endpoint's error tells of each:
 *	ECONNREFUSED	nobody listens there, or the peer rejected: reason and
 *			private_data say more; when the peer's program itself
 *			has rejected, with private data or by the handshake, no
 *			other address is tried
 *	ECONNRESET	with the handshake: the peer closed the connection, or knows
 *			version 0 only
 *	ETIMEDOUT	no answer in time
 *	EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, ENODEV
 *			the kernel's answer for the address, or the route
 *			leads to no RDMA device
 *	EMSGSIZE	a request cannot carry ai_connect of the address and
 *			the private data together
 *	ENOENT, EAGAIN	the name is not known, or cannot be looked up now
 *	EPROTO		with the handshake: the peer sent a wrong message
 *	EBUSY		an earlier queue pair cannot be destroyed: see discard
 *	EIO		librdmacm could not finish a step, without a cause
 *	EINVAL, ENOMEM, EMFILE, and the errno of the calls of the way
 * The endpoint is then in FAILED. Its last queue pair, if any, is in ERR.
 */
VBM_API int vbm_connect(struct vbm_endpoint *ep, const char *node, const char *service);

/*
 * Accept requests for @service at the local address @node (NULL: all addresses, of both
 * families).
 * Only the translation of a @node that is a name can wait, also with no_wait.
 * EADDRINUSE; EADDRNOTAVAIL: this host does not have the address @node; ENODEV: no RDMA
 * device has it; EACCES; ENOENT; EINVAL. From IDLE only.
 */
VBM_API int vbm_listen(struct vbm_endpoint *ep, const char *node, const char *service);

/*
 * Wait for the next request, up to @timeout_ms milliseconds (-1: no limit). *@ep is in
 * REQUESTED with a queue pair in INIT: post its receives, then answer with vbm_accept() or
 * vbm_reject(). *@ep has the listener's options and context, and may live longer than the
 * listener. A request that its peer has given up is skipped. A TCP connection of the
 * handshake is a request when its first message has arrived. When as many have not sent it
 * as the backlog says, a new one replaces the oldest, after 0.2 s at most.
 * ETIMEDOUT: no request came. ENODEV: the listener's device has gone. EMFILE, ENFILE,
 * ENOBUFS, ENOMEM: there was nothing to take a request with; by the handshake it waits, and
 * the next call tries again, after 0.1 s at most. Any other error concerns one request,
 * which is then rejected; the listener still listens.
 */
VBM_API int vbm_get_request(struct vbm_endpoint *listener, struct vbm_endpoint **ep,
			    int timeout_ms);

/*
 * Accept the request; @private_data may be NULL. Unless the endpoint has no_wait or a
 * channel the call waits for the peer, so a peer that falls silent now keeps a server with
 * one thread from all others, for the time limit. EMSGSIZE: an answer cannot carry @len
 * bytes; the request can still be answered. ECONNABORTED: the peer has given up;
 * ETIMEDOUT: the peer never confirmed. 0 with the state DISCONNECTED: the peer has
 * disconnected already, and the data that it sent before are in the completion queue.
 */
VBM_API int vbm_accept(struct vbm_endpoint *ep, const void *private_data, size_t len);

/* Reject the request. Never waits. EMSGSIZE and ECONNABORTED as for vbm_accept(). */
VBM_API int vbm_reject(struct vbm_endpoint *ep, const void *private_data, size_t len);

/*
 * End the connection: the queue pair goes to ERR, and the peer is told. The call waits for
 * the peer's answer. ETIMEDOUT: there was no answer; the endpoint is in DISCONNECTED
 * anyway. 0 in DISCONNECTED. ENOTCONN: there was no connection.
 */
VBM_API int vbm_disconnect(struct vbm_endpoint *ep);

/*
 * Wait until the peer has ended the connection, up to @timeout_ms milliseconds (-1: no
 * limit). By the handshake the connection ends, too, when the peer has been silent for
 * keepalive_ms; the member reason is then ETIMEDOUT, or the error that its socket had, and
 * else 0. By rdma_cm nobody notices a peer whose cable is cut until a send fails: a program
 * that only receives has to write to the peer now and then, be it no byte.
 * ETIMEDOUT: the connection has not ended. ENODEV: the device has gone. EIO: the queue pair
 * has failed, and the state is FAILED. ENETDOWN: the port went down, which is told once; the
 * connection is kept, and the call can be made again. ENOTCONN: there was no connection.
 * EINVAL: the events arrive on the program's channel.
 */
VBM_API int vbm_wait_disconnect(struct vbm_endpoint *ep, int timeout_ms);

/*
 * End the call of @ep that waits in another thread or below this signal handler, or the
 * next one that would wait: vbm_connect(), vbm_accept(), vbm_get_request(),
 * vbm_disconnect(), vbm_wait_disconnect(), and vbm_wait_completions() of its queue pair
 * return ECANCELED. A connect or an accept has then failed, a disconnect has ended the
 * connection, and the others can be called again. Any thread and any signal handler may
 * make this call, as long as nobody destroys the endpoint. EOPNOTSUPP: the endpoint was
 * made without interruptible.
 */
VBM_API int vbm_interrupt_endpoint(struct vbm_endpoint *ep);

/*
 * Do the next step. @event was fetched from the program's channel for this endpoint, which
 * is the context of its rdma_cm_id. The function acknowledges the event, so the program
 * must not use it afterwards. Fetch it with vbm_get_cm_event(); rdma_get_cm_event(3) is
 * enough when options.list makes a translation unnecessary. For a listener, *@request is
 * the endpoint of the new request, else NULL. NULL for @event means that the time is up.
 *
 * If @ep has no channel of the program, with rdma_cm or with the handshake, the program
 * calls this with NULL for @event when the descriptor of @ep is readable or its time is up.
 * The function then handles the events that have arrived, does the steps that are possible,
 * and does not wait. (ibv_modify_qp(3) waits in the kernel where a peer's address has to be
 * found. By the handshake the peer's GID is the address that the TCP connection has just
 * used, so the kernel knows it.)
 *
 * 0: the member state has the new state. Otherwise the error of the step, as the calls
 * that wait return it. EINVAL: the event belongs to another endpoint, and is not
 * acknowledged.
 */
VBM_API int vbm_endpoint_event(struct vbm_endpoint *ep, struct rdma_cm_event *event,
			       struct vbm_endpoint **request);

/*
 * The milliseconds, for poll(2), until vbm_endpoint_event() must be called with NULL; -1:
 * no limit.
 */
VBM_API int vbm_endpoint_timeout(const struct vbm_endpoint *ep);

/*
 * The descriptor for poll(2) with POLLIN. It is readable when a listener may have a
 * request, a connection may have ended, or an operation may go on; the program then calls
 * vbm_endpoint_event().
 * With an event channel of the program it is the channel's. The endpoint owns it: the
 * program must not read from it, and must ask again after each call. -1: @ep is NULL, or
 * there is no descriptor, as before vbm_connect() and after the end of the connection.
 */
VBM_API int vbm_endpoint_fd(struct vbm_endpoint *ep);

/*
 * Move the events of @ep to another @channel; NULL: its calls wait from now on. The
 * program must pass fetched events to the endpoint before. EOPNOTSUPP with the handshake;
 * the errno of rdma_migrate_id(3). EBUSY: @channel is NULL and an operation is under way.
 */
VBM_API int vbm_migrate_endpoint(struct vbm_endpoint *ep, struct rdma_event_channel *channel);

#ifdef __cplusplus
}
#endif
#endif
