/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_NEGOTIATOR_H
#define VERBATIM_NEGOTIATOR_H

#include <verbatim/handshake.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order:
 *	vbm_create_negotiator()	vbm_negotiator_fd() is readable when there is something to collect
 *	vbm_create_qp(), vbm_qp_to_init()	for each queue pair, from qp.h
 *	vbm_negotiator_listen()	at a server; vbm_negotiator_offer() for each queue pair
 *	vbm_negotiator_connect()	at a client
 *	vbm_negotiator_wait()	or vbm_negotiator_collect(): the outcome of each; the queue pair is in RTS
 *	vbm_negotiator_cancel()	ends one early, vbm_negotiator_close() a listener
 *	vbm_destroy_negotiator()	then the program destroys the queue pairs
 */

/*
 * A negotiator connects queue pairs by the handshake of <verbatim/handshake.h>, many at the
 * same time, while the program continues. Source: docs/handshake.md, "The threads".
 *
 * It works in a thread of its own, or without one in the program's loop (in_loop). It has
 * the sockets and calls ibv_modify_qp(3). From the call that hands a queue
 * pair in until its outcome is collected, the queue pair belongs to the negotiator; the
 * program creates and destroys it, and may post receives in between. Only one thread at a
 * time may call functions of a negotiator. Only vbm_negotiator_wait() and
 * vbm_destroy_negotiator() wait; no function takes a lock.
 *
 * Every function here returns 0 or a positive errno value. NULL for a pointer that is
 * needed is EINVAL. Each call that hands something in has one outcome. It returns EAGAIN
 * while too many outcomes are not collected: collect some first.
 */
struct vbm_negotiator;

/* Zero is the default of each member except the first. */
struct vbm_negotiator_options {
	size_t size;			/* sizeof(struct vbm_negotiator_options) */
	unsigned int depth;		/* outcomes that are not collected; 0: 1024, at most 1048576 */
	/*
	 * 0: the negotiator has a thread. Not 0: it has none, and works only in the program's
	 * calls: above all, vbm_negotiator_collect() and vbm_negotiator_wait() serve the
	 * sockets and the time limits. The descriptor of vbm_negotiator_fd() is readable when
	 * there is something to do or to collect.
	 */
	int in_loop;
};

/* Sets the size, and all other members to 0. */
VBM_API void vbm_negotiator_options_init_sized(struct vbm_negotiator_options *options, size_t size);

static inline void vbm_negotiator_options_init(struct vbm_negotiator_options *options)
{
	vbm_negotiator_options_init_sized(options, sizeof(*options));
}

/*
 * Make a negotiator. @options may be NULL, and so may @error. EINVAL: a wrong option;
 * ENOMEM, EMFILE; EAGAIN: no thread.
 */
VBM_API int vbm_create_negotiator(struct vbm_negotiator **negotiator,
				  const struct vbm_negotiator_options *options,
				  struct vbm_error *error);

/*
 * End the negotiator and its handshakes; NULL is allowed. The function waits if the thread
 * is in ibv_modify_qp(3). The program owns its queue pairs again; those of unfinished
 * handshakes are in INIT or ERR. Sockets of outcomes that were not collected are closed.
 */
VBM_API int vbm_destroy_negotiator(struct vbm_negotiator *negotiator);

/* Zero is the default of each member except the first. */
struct vbm_listen_options {
	size_t size;			/* sizeof(struct vbm_listen_options) */
	/*
	 * The member request must be NULL, and the size may be 0. authenticate is called in the
	 * negotiator's thread or in the call that does its work, with the member context, and
	 * may call nothing of the negotiator. A client that it refuses has no outcome.
	 */
	struct vbm_handshake_options handshake;
	int backlog;			/* as in listen(2); 0: SOMAXCONN */
	unsigned int max_pending;	/* handshakes at the same time; 0: 1024 */
	/*
	 * When max_pending handshakes are under way, a new client replaces the oldest
	 * client that has not sent its first message for this long. If there is no such
	 * client, the new one waits in the backlog. 0: 200.
	 *
	 * A client that has got its answer and is silent for this long (0: 800) gives way, too.
	 * If clients wait for a queue pair, it gives way sooner, the sooner the more of them
	 * wait, so that the last of 60 for each offer is served within a second.
	 */
	int grace_ms;
	/*
	 * 0: a client gets a queue pair that was offered. Not 0: the program decides for each
	 * client: it gets the outcome REQUEST, and answers by vbm_negotiator_accept() or
	 * vbm_negotiator_reject().
	 */
	int decide;
	/*
	 * Called with the context of the offer, in the negotiator's thread or in the call that
	 * does its work, when a client has spoiled the handshake of an offered queue pair, which
	 * is in INIT again and has lost its receives. It posts them, and may call nothing of the
	 * negotiator. 0: the queue pair is offered again. Otherwise its outcome is this code.
	 * NULL: see vbm_negotiator_offer().
	 */
	int (*prepare)(struct vbm_qp *qp, void *context);
};

/* Sets the size, and all other members to 0. */
VBM_API void vbm_listen_options_init_sized(struct vbm_listen_options *options, size_t size);

static inline void vbm_listen_options_init(struct vbm_listen_options *options)
{
	vbm_listen_options_init_sized(options, sizeof(*options));
}

/*
 * Listen at @address (AF_INET or AF_INET6; port 0: any). *@listener is a number for the
 * calls below. The private data are copied. The outcome LISTENING has the address, or the
 * errno of socket(2), bind(2) or listen(2).
 */
VBM_API int vbm_negotiator_listen(struct vbm_negotiator *negotiator, const struct sockaddr *address,
				  const struct vbm_listen_options *options, void *context,
				  int *listener);

/*
 * Give a listener a queue pair in INIT, with its receives posted, for a future client. A
 * client gets it when its first message has arrived and is valid, so a silent client gets
 * none. Its GID is the address at which the client came, unless foreign_gid is set. A
 * client that finds no such queue pair waits for the time of one step, and is then refused.
 *
 * A client that fails does not use the queue pair up: it is offered again, without an
 * outcome, if it has not left INIT, if its receives are those of a shared receive queue,
 * or if the listener has prepare. Otherwise the outcome has the failure, and the program
 * may call vbm_reset_qp(), post the receives and offer the queue pair again. Completions of
 * a queue pair that has no connection are to be dropped.
 */
VBM_API int vbm_negotiator_offer(struct vbm_negotiator *negotiator, int listener, struct vbm_qp *qp,
				 void *context);

/*
 * Answer a client of the outcome REQUEST, with up to VBM_HANDSHAKE_PRIVATE_MAX bytes of
 * private data, which are copied; a client of version 0 does not get them. accept: @qp is
 * in INIT with its receives posted, and its local GID is the outcome's member gid, unless
 * that is zero. Its outcome is CONNECTED; ECONNRESET: the client does not wait any more;
 * EPROTO: the GID differs, and the client is refused. NULL for @qp: the client gets a queue
 * pair that was offered, whose outcome it is; @context is then not used. reject: the client
 * gets ECONNREFUSED. It has no outcome.
 *
 * A client waits for the time of one step, and is then refused (EBUSY), as it is if depth
 * clients wait already or depth outcomes are not collected. EINVAL: too many private data,
 * or @request is 0.
 */
VBM_API int vbm_negotiator_accept(struct vbm_negotiator *negotiator, uint64_t request,
				  struct vbm_qp *qp, const void *private_data,
				  size_t private_length, void *context);
VBM_API int vbm_negotiator_reject(struct vbm_negotiator *negotiator, uint64_t request,
				  const void *private_data, size_t private_length);

/*
 * Connect a queue pair in INIT to a server. The private data are copied. With
 * VBM_HANDSHAKE_ANY and without private data, a peer that does not know version 1 is asked
 * again in version 0 over a new connection.
 */
VBM_API int vbm_negotiator_connect(struct vbm_negotiator *negotiator, struct vbm_qp *qp,
				   const struct sockaddr *address,
				   const struct vbm_handshake_options *options, void *context);

/*
 * Cancel the handshake of @qp. Its outcome still comes: ECANCELED, or the result if the
 * call came too late. ENOENT: no handshake of @qp is under way.
 */
VBM_API int vbm_negotiator_cancel(struct vbm_negotiator *negotiator, struct vbm_qp *qp);

/* End a listener and its handshakes: ECANCELED for its queue pairs, then CLOSED. */
VBM_API int vbm_negotiator_close(struct vbm_negotiator *negotiator, int listener, void *context);

enum vbm_outcome_kind {
	VBM_OUTCOME_CONNECTED,	/* the end of a connect or an offer, good or bad */
	VBM_OUTCOME_LISTENING,
	VBM_OUTCOME_CLOSED,
	VBM_OUTCOME_REQUEST,	/* a client of a listener with decide; @peer says what it said */
};

struct vbm_outcome {
	enum vbm_outcome_kind kind;
	/*
	 * 0 or a positive errno value: one of vbm_handshake_client(3) or of connect(2),
	 * ECANCELED, ENODEV (the device has gone), ENOENT (no such listener), ENOMEM. The
	 * member error of the queue pair has a message.
	 */
	int result;
	struct vbm_qp *qp;		/* CONNECTED: usable when @result is 0 */
	void *context;			/* of the call; REQUEST: of vbm_negotiator_listen() */
	int listener;			/* 0: of a connect, or of an accept that failed at once */
	int socket;			/* non-blocking, the program closes it; -1 after a failure */
	struct sockaddr_storage address;	/* the peer's; LISTENING: the listener's */
	struct vbm_handshake_peer peer;
	uint64_t request;		/* REQUEST: for the answer; never 0 */
	union ibv_gid gid;		/* REQUEST: that the queue pair must have; zero: any */
	uint64_t reserved[16];		/* 0: room for later versions, so the size stays the same */
};

/*
 * Take up to @room outcomes without waiting; *@count is their number. With a thread and
 * without outcomes this makes no system call. Without a thread this does the work that can
 * be done now; EBUSY: the call comes from a callback of the negotiator.
 */
VBM_API int vbm_negotiator_collect(struct vbm_negotiator *negotiator, struct vbm_outcome *outcome,
				   int room, int *count);

/*
 * For a program that waits, as with ibv_req_notify_cq(3): after vbm_negotiator_notify()
 * the next outcome makes the descriptor readable. Notify, collect, and wait if there was
 * nothing to collect. Without a thread vbm_negotiator_notify() does nothing and is not
 * needed: collect whenever the descriptor is readable.
 */
VBM_API int vbm_negotiator_fd(const struct vbm_negotiator *negotiator);
VBM_API int vbm_negotiator_notify(struct vbm_negotiator *negotiator);

/* Collect, and wait up to @timeout_ms (-1: no limit) for the first outcome. ETIMEDOUT; EINTR. */
VBM_API int vbm_negotiator_wait(struct vbm_negotiator *negotiator, struct vbm_outcome *outcome,
				int room, int timeout_ms, int *count);

#ifdef __cplusplus
}
#endif
#endif
