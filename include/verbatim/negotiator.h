/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_NEGOTIATOR_H
#define VERBATIM_NEGOTIATOR_H

#include <verbatim/handshake.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A negotiation thread: it connects queue pairs by the handshake of
 * <verbatim/handshake.h>, while the program's polling thread goes on. Source:
 * docs/handshake.md, "The threads".
 *
 * The thread has the sockets and makes the calls of ibv_modify_qp(3). A queue
 * pair is the negotiator's from the call that hands it in until its outcome is
 * collected; the program makes and destroys it, and may post receives
 * meanwhile. All calls on a negotiator are made by one thread at a time. None
 * waits, but vbm_negotiator_wait() and vbm_destroy_negotiator(), and none takes
 * a lock.
 *
 * Every function here returns 0 or a positive errno value. NULL where a pointer
 * is needed is EINVAL. Each call that hands something in has one outcome, and
 * ends in EAGAIN while too many outcomes are to come: collect some first.
 */
struct vbm_negotiator;

/* Make one, with room for @depth outcomes (0: 1024). ENOMEM, EMFILE, EAGAIN: no thread. */
VBM_API int vbm_create_negotiator(struct vbm_negotiator **negotiator, unsigned int depth,
				  struct vbm_error *error);

/*
 * End it, with all that is under way; NULL is fine. It waits for the call of
 * ibv_modify_qp(3) that its thread may be in. Queue pairs that were handed in
 * are the program's again, those under way in INIT or ERR. Sockets of outcomes
 * that were not collected are closed.
 */
VBM_API int vbm_destroy_negotiator(struct vbm_negotiator *negotiator);

/* Zero is the default of each member. */
struct vbm_listen_options {
	struct vbm_handshake_options handshake;	/* but for request, which has to be NULL */
	int backlog;			/* as listen(2) has it; 0: SOMAXCONN */
	unsigned int max_pending;	/* handshakes at a time; 0: 1024 */
	/*
	 * With max_pending handshakes under way a new client takes the place of the
	 * oldest one that has not sent its first message for this long, or waits in
	 * the backlog; 0: 200.
	 */
	int grace_ms;
};

/*
 * Listen at @address (AF_INET or AF_INET6; port 0: any). *@listener is a number
 * for the calls below. The private data are copied. The outcome LISTENING has
 * the address, or what socket(2), bind(2) or listen(2) said.
 */
VBM_API int vbm_negotiator_listen(struct vbm_negotiator *negotiator, const struct sockaddr *address,
				  const struct vbm_listen_options *options, void *context,
				  int *listener);

/*
 * Give a listener a queue pair in INIT, with its receives posted, for a client
 * to come. It is taken when a client's first message is there and right, so a
 * client that says nothing takes none. A client that finds none waits for its
 * step's time, and is refused then.
 */
VBM_API int vbm_negotiator_offer(struct vbm_negotiator *negotiator, int listener, struct vbm_qp *qp,
				 void *context);

/*
 * Connect a queue pair in INIT to a server. The private data are copied. With
 * VBM_HANDSHAKE_ANY and without private data, a peer that does not speak version
 * 1 is asked once more, in version 0 and over a new connection.
 */
VBM_API int vbm_negotiator_connect(struct vbm_negotiator *negotiator, struct vbm_qp *qp,
				   const struct sockaddr *address,
				   const struct vbm_handshake_options *options, void *context);

/*
 * End what is under way with @qp. Its outcome comes all the same: ECANCELED, or
 * what it was when the cancel came too late. ENOENT: nothing is under way.
 */
VBM_API int vbm_negotiator_cancel(struct vbm_negotiator *negotiator, struct vbm_qp *qp);

/* End a listener and its handshakes: ECANCELED for its queue pairs, then CLOSED. */
VBM_API int vbm_negotiator_close(struct vbm_negotiator *negotiator, int listener, void *context);

enum vbm_outcome_kind {
	VBM_OUTCOME_CONNECTED,	/* a queue pair of connect or offer, or why it is not */
	VBM_OUTCOME_LISTENING,
	VBM_OUTCOME_CLOSED,
};

struct vbm_outcome {
	enum vbm_outcome_kind kind;
	/*
	 * 0 or a positive errno value: those of vbm_handshake_client(3), those of
	 * connect(2), ECANCELED, ENOENT (no such listener), ENOMEM. The member error
	 * of the queue pair says more.
	 */
	int result;
	struct vbm_qp *qp;		/* CONNECTED: usable when @result is 0 */
	void *context;			/* of the call */
	int listener;			/* 0: of a connect */
	int socket;			/* non-blocking, the program's to close; -1 after a failure */
	struct sockaddr_storage address;	/* the peer's; LISTENING: the listener's */
	struct vbm_handshake_peer peer;
};

/*
 * Take up to @room outcomes, at once; *@count is how many. It makes no system
 * call when there is none.
 */
VBM_API int vbm_negotiator_collect(struct vbm_negotiator *negotiator, struct vbm_outcome *outcome,
				   int room, int *count);

/*
 * For a program that waits: the descriptor is readable after the next outcome
 * that follows vbm_negotiator_notify(), as with ibv_req_notify_cq(3): notify,
 * collect, and wait when nothing came.
 */
VBM_API int vbm_negotiator_fd(const struct vbm_negotiator *negotiator);
VBM_API int vbm_negotiator_notify(struct vbm_negotiator *negotiator);

/* Collect, and wait up to @timeout_ms (-1: without limit) for the first. ETIMEDOUT; EINTR. */
VBM_API int vbm_negotiator_wait(struct vbm_negotiator *negotiator, struct vbm_outcome *outcome,
				int room, int timeout_ms, int *count);

#ifdef __cplusplus
}
#endif
#endif
