/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_NEGOTIATION_H
#define VBM_LIB_HANDSHAKE_NEGOTIATION_H

#include "lib/handshake/door.h"
#include "lib/handshake/drive.h"
#include "lib/handshake/grace.h"
#include "lib/handshake/negotiator.h"

/*
 * The negotiations and outcomes of a negotiator; only its thread uses them. A negotiation is
 * one handshake on one socket. A client's negotiation has its job from the start. A server's
 * negotiation gets one of the jobs offered to its listener when the client's first message
 * is there and valid; or the program decides then.
 */

/* The rings of a listener; each has its negotiations, the oldest first. */
enum negotiation_place {
	PLACE_SILENT,	/* without a first message */
	PLACE_HALFWAY,	/* without a third one, since the answer */
	PLACE_WAITING,	/* for a queue pair */
	PLACES,
	PLACE_NONE = PLACES,
};

struct listener {
	struct door door;
	struct timer serve;	/* due: an offer came back */
	struct timer press;	/* when a client that is silent has to give its queue pair back */
	struct ring link;
	struct vbm_negotiator *n;
	int id;
	void *context;
	bool closing;		/* ends with the last of them, by the function below */
	uint32_t close_slot;	/* of the request; NO_SLOT: there is none */
	void *close_context;
	void (*finish)(struct listener *l);
	struct negotiation *spare;	/* for the next client; NULL: none */
	union addr own;
	bool has_one;		/* all clients come at @own, which is no wildcard */
	int expected;		/* clients at a time */
	unsigned int full;	/* how often there were as many, one after another */
	struct vbm_listen_options options;
	uint8_t private_data[VBM_HANDSHAKE_PRIVATE_MAX];
	struct ring offers;	/* jobs without a client */
	struct ring in[PLACES];	/* negotiations */
	unsigned int count[PLACES];
	struct grace grace;	/* of those that are halfway */
};

struct negotiation {
	struct watch watch;
	struct timer timer;
	struct ring link;	/* among all negotiations */
	struct ring node;	/* in the ring of @place */
	enum negotiation_place place;
	struct vbm_negotiator *n;
	struct listener *listener;	/* NULL: a client */
	struct negotiator_job *job;
	bool in_epoll;
	uint32_t events;	/* that epoll waits for; 0: none. After one has come, epoll waits for none */
	uint8_t timed;		/* the state of the step that has a timer */
	bool excused;		/* the step got its time again; see was_late() */
	bool dialing;		/* connect(2) may be under way: nothing has been sent */
	bool has_gids;		/* a server's; from the first message on */
	bool hung_up;		/* epoll has reported that the peer has gone */
	struct handshake_auth *auth;	/* owned; until the program knows who the peer is; or NULL */
	struct timer again;	/* a server's: memory for epoll ran out, and the socket is looked at then */
	bool decided;		/* the program has accepted the client */
	bool moving;		/* another thread makes the call to RTS with @h and the queue pair */
	int ended;		/* moving: the code with which it ends then; 0: it goes on */
	int move_result;	/* of that call, with @move_error */
	bool at_fault;		/* this end, and not the peer */
	uint64_t request;	/* the program is asked; 0: it is not */
	struct handshake_gids gids;
	struct move move;
	struct vbm_error move_error;
	int64_t since;		/* when the step's time began */
	enum handshake_action action;
	union addr address;
	struct vbm_handshake_options options;	/* a client's */
	struct handshake h;
	uint8_t private_data[];	/* a client's; a server's that the program gave for this client */
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
void vbm_negotiation_end_job(struct vbm_negotiator *n, struct negotiator_job *j, int result,
		      const struct negotiation *t);

/*
 * ask: write the outcome about a client on which the program decides; false: there is no
 * room. asked: the client, or NULL when it does not wait any more. unask: the program's
 * answer is there, or too late.
 */
bool vbm_negotiation_ask(struct negotiation *t);
struct negotiation *vbm_negotiation_asked(struct vbm_negotiator *n, uint64_t request);
void vbm_negotiation_unask(struct negotiation *t);

static inline const struct vbm_handshake_options *negotiation_options(const struct negotiation *t)
{
	return t->listener ? &t->listener->options.handshake : &t->options;
}

/*
 * Memory for a negotiation with private data (NULL: there is none), and its beginning. A
 * server's (with @l) gets a socket then; vbm_negotiation_dial() makes the socket of a
 * client's.
 */
struct negotiation *vbm_negotiation_alloc(size_t private_length);
void vbm_negotiation_init(struct negotiation *t, struct vbm_negotiator *n, struct listener *l);
void vbm_negotiation_dial(struct negotiation *t);

/*
 * Begin or continue the handshake on the negotiation's socket, as far as it goes without
 * waiting. Either call may free the negotiation.
 */
void vbm_negotiation_begin(struct negotiation *t);
void vbm_negotiation_drive(struct negotiation *t);

/*
 * Before a negotiation is ended because its peer is silent: true when the peer's bytes are
 * there, and only this end is late. The call then drives the negotiation, and may free it.
 */
bool vbm_negotiation_revive(struct negotiation *t);

/*
 * due: when one that is silent has to give way, if others need what it has. press: a client waits for a queue
 * pair, or has got one: see the listener's timer press.
 */
int64_t vbm_negotiation_due(const struct negotiation *t);
void vbm_negotiation_press(struct listener *l);

/* An offer that a client with @gids can have; NULL: there is none. */
struct negotiator_job *vbm_negotiation_find_offer(const struct listener *l, const struct handshake_gids *gids);

/* The server's handshake goes on with the queue pair of @j, which fits. */
void vbm_negotiation_take_job(struct negotiation *t, struct negotiator_job *j);

/*
 * End the negotiation and its job, or say that they end when the call that another thread
 * makes for them has returned. Sets the job's error, if no call of the library has set it.
 */
void vbm_negotiation_end_with(struct negotiation *t, int error, const char *what);

/* Make the listener of a request. 0; or a positive errno, and *@listener is NULL. */
int vbm_listener_open(struct listener **listener, struct vbm_negotiator *n,
		      const struct negotiator_request *r);

/*
 * End the listener, its clients and its offers, and free it, at once or after the calls that
 * another thread makes for its clients. Then the outcome of @r (NULL: there is none) is
 * written.
 */
void vbm_listener_close(struct listener *l, const struct negotiator_request *r);

#endif
