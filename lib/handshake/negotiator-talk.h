/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_NEGOTIATOR_TALK_H
#define VBM_LIB_NEGOTIATOR_TALK_H

#include "lib/handshake/negotiator.h"

/*
 * A negotiator's handshakes, one talk each, and its outcomes; the thread's. A
 * client's talk has its job from the start. A server's gets one of the jobs
 * offered to its listener when the client's first message is there and right.
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
	struct ring silent;	/* talks without a first message, the oldest first */
	struct ring hungry;	/* talks without a job */
};

struct talk {
	struct watch watch;
	struct timer timer;
	struct ring link;	/* of all talks */
	struct ring place;	/* in silent or hungry of its listener */
	struct vbm_negotiator *n;
	struct listener *listener;	/* NULL: a client */
	struct job *job;
	uint32_t events;	/* that epoll looks for; 0: it does not know the socket */
	bool dialing;		/* connect(2) may be under way: nothing is sent yet */
	int64_t since;
	enum handshake_action action;
	union addr address;
	struct vbm_handshake_options options;	/* a client's */
	struct handshake h;
	uint8_t private_data[];	/* a client's */
};

#define of_ring(r, type, member) container_of((r)->next, type, member)

/*
 * A place for the outcome of the request with that number, and that it is filled
 * in. There is one for each request that has none yet.
 */
struct vbm_outcome *vbm_talk_begin_outcome(struct vbm_negotiator *n, uint32_t slot,
					   enum vbm_outcome_kind kind, int result, void *context);
void vbm_talk_end_outcome(struct vbm_negotiator *n);

/* The outcome of a request without a job. */
void vbm_talk_report(struct vbm_negotiator *n, const struct negotiator_request *r,
		     enum vbm_outcome_kind kind, int result);

/* The outcome of a job; the talk may be NULL. */
void vbm_talk_end_job(struct vbm_negotiator *n, struct job *j, int result, int listener,
		      const struct talk *t);

/* NULL: no memory. A server's (@l) has a socket already, a client's is dialled. */
struct talk *vbm_talk_make(struct vbm_negotiator *n, struct listener *l, size_t private_length);
void vbm_talk_dial(struct talk *t);

/*
 * Begin the handshake on the talk's socket, or go on with it, as far as it goes
 * without waiting. The talk may be freed then.
 */
void vbm_talk_begin(struct talk *t);
void vbm_talk_drive(struct talk *t);

/* End the talk and its job, the second one with words for its queue pair. */
void vbm_talk_end(struct talk *t, int result);
void vbm_talk_end_with(struct talk *t, int error, const char *what);

#endif
