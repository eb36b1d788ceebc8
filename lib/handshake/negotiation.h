/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_NEGOTIATION_H
#define VBM_LIB_NEGOTIATION_H

#include "lib/handshake/drive.h"
#include "lib/handshake/negotiator.h"

/*
 * The negotiations and outcomes of a negotiator; only its thread uses them. A negotiation is
 * one handshake on one socket. A client's negotiation has its job from the start. A server's
 * negotiation gets one of the jobs offered to its listener when the client's first message
 * is there and valid.
 */

struct listener {
	struct watch watch;
	struct timer resume;
	struct ring link;
	struct vbm_negotiator *n;
	int id;
	unsigned int pending;
	union addr own;
	bool has_one;		/* all clients come at @own, which is no wildcard */
	struct vbm_listen_options options;
	uint8_t private_data[VBM_HANDSHAKE_PRIVATE_MAX];
	struct ring offers;	/* jobs without a client */
	struct ring silent;	/* negotiations without a first message, the oldest first */
	struct ring waiting;	/* negotiations without a job */
};

struct negotiation {
	struct watch watch;
	struct timer timer;
	struct ring link;	/* among all negotiations */
	struct ring node;	/* in silent or waiting of its listener */
	struct vbm_negotiator *n;
	struct listener *listener;	/* NULL: a client */
	struct negotiator_job *job;
	uint32_t events;	/* that epoll waits for; 0: the socket is not in epoll */
	bool dialing;		/* connect(2) may be under way: nothing has been sent */
	bool has_gids;		/* a server's; from the first message on */
	struct handshake_gids gids;
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
struct vbm_outcome *vbm_negotiation_begin_outcome(struct vbm_negotiator *n, uint32_t slot,
					   enum vbm_outcome_kind kind, int result, void *context);
void vbm_negotiation_end_outcome(struct vbm_negotiator *n);

/* Write the outcome of a request without a job. */
void vbm_negotiation_report(struct vbm_negotiator *n, const struct negotiator_request *r,
		     enum vbm_outcome_kind kind, int result);

/* Write the outcome of a job. @t may be NULL. */
void vbm_negotiation_end_job(struct vbm_negotiator *n, struct negotiator_job *j, int result, int listener,
		      const struct negotiation *t);

/*
 * NULL: out of memory. A server's negotiation (with @l) has a socket already;
 * vbm_negotiation_dial() makes the socket of a client's.
 */
struct negotiation *vbm_negotiation_make(struct vbm_negotiator *n, struct listener *l, size_t private_length);
void vbm_negotiation_dial(struct negotiation *t);

/*
 * Begin or continue the handshake on the negotiation's socket, as far as it goes without
 * waiting. Either call may free the negotiation.
 */
void vbm_negotiation_begin(struct negotiation *t);
void vbm_negotiation_drive(struct negotiation *t);

/* End the negotiation and its job; the second function also sets the job's error. */
void vbm_negotiation_end(struct negotiation *t, int result);
void vbm_negotiation_end_with(struct negotiation *t, int error, const char *what);

#endif
