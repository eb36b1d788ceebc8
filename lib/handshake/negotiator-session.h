/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_NEGOTIATOR_SESSION_H
#define VBM_LIB_NEGOTIATOR_SESSION_H

#include "lib/handshake/negotiator.h"

/*
 * The sessions and outcomes of a negotiator; only its thread uses them. A session is one
 * handshake on one socket. A client's session has its job from the start. A server's
 * session gets one of the jobs offered to its listener when the client's first message is
 * there and valid.
 */

struct listener {
	struct watch watch;
	struct timer resume;
	struct ring link;
	struct vbm_negotiator *n;
	int id;
	unsigned int pending;
	struct vbm_listen_options options;
	uint8_t private_data[VBM_HANDSHAKE_PRIVATE_MAX];
	struct ring offers;	/* jobs without a client */
	struct ring silent;	/* sessions without a first message, the oldest first */
	struct ring waiting;	/* sessions without a job */
};

struct session {
	struct watch watch;
	struct timer timer;
	struct ring link;	/* among all sessions */
	struct ring node;	/* in silent or waiting of its listener */
	struct vbm_negotiator *n;
	struct listener *listener;	/* NULL: a client */
	struct job *job;
	uint32_t events;	/* that epoll waits for; 0: the socket is not in epoll */
	bool dialing;		/* connect(2) may be under way: nothing has been sent */
	int64_t since;
	enum handshake_action action;
	union addr address;
	struct vbm_handshake_options options;	/* a client's */
	struct handshake h;
	uint8_t private_data[];	/* a client's */
};

#define of_ring(r, type, member) container_of((r)->next, type, member)

/*
 * begin: reserve the outcome of the request in @slot, and return it to be filled in; end:
 * publish it. Each request has one outcome, so there is always room.
 */
struct vbm_outcome *vbm_session_begin_outcome(struct vbm_negotiator *n, uint32_t slot,
					   enum vbm_outcome_kind kind, int result, void *context);
void vbm_session_end_outcome(struct vbm_negotiator *n);

/* Write the outcome of a request without a job. */
void vbm_session_report(struct vbm_negotiator *n, const struct negotiator_request *r,
		     enum vbm_outcome_kind kind, int result);

/* Write the outcome of a job. @t may be NULL. */
void vbm_session_end_job(struct vbm_negotiator *n, struct job *j, int result, int listener,
		      const struct session *t);

/*
 * NULL: out of memory. A server's session (with @l) has a socket already. A client's calls
 * vbm_session_dial().
 */
struct session *vbm_session_make(struct vbm_negotiator *n, struct listener *l, size_t private_length);
void vbm_session_dial(struct session *t);

/*
 * Begin or continue the handshake on the session's socket, as far as it goes without
 * waiting. Either call may free the session.
 */
void vbm_session_begin(struct session *t);
void vbm_session_drive(struct session *t);

/* End the session and its job; the second function also sets the error of the queue pair. */
void vbm_session_end(struct session *t, int result);
void vbm_session_end_with(struct session *t, int error, const char *what);

#endif
