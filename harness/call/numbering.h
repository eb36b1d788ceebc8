/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_NUMBERING_H
#define VBM_CALL_NUMBERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ibv_cq;
struct ibv_pd;
struct step_ctx;

/*
 * Two hosts of a scenario never have a queue pair number, the index of a
 * memory key or the address of a buffer in common. So a scenario that takes
 * one host's number for the other's fails; on fresh devices and in forked
 * processes all of them would be equal.
 *
 * Buffers: each agent has a range of addresses of its own. Numbers: a device
 * counts up, so an agent looks where its device's counter is (it makes a
 * throw-away queue pair) and claims the next few numbers for its host on a
 * board that all agents share. Where another host was first, the agent makes
 * more throw-away ones until the counter has left that claim. Counters then
 * stay apart from one scenario to the next: one throw-away per host is enough.
 */
enum number_kind {
	NUMBER_QP,	/* of a queue pair */
	NUMBER_MR,	/* lkey and rkey of a region without their last byte */
	NUMBER_KINDS,
};

#define NUMBER_CLAIM 8		/* numbers that are claimed at a time */
#define NUMBER_HOSTS_MAX 128	/* those beyond are not kept apart */

/* In memory that the runner's children share. NULL when there is none to have. */
struct number_board;
struct number_board *number_board_new(void);
void number_board_free(struct number_board *board);

/*
 * An agent of the host begins, or has ended. With the last one the claims of
 * the host end. NULL is fine.
 */
void number_board_enter(struct number_board *board, int host);
void number_board_leave(struct number_board *board, int host);

struct numbering {
	struct number_board *board;	/* shared; NULL: nobody to be apart from */
	int host, process;		/* from 0; process is one of the host's agents */
	size_t mapped;			/* bytes of the own range that were used */
	struct ibv_pd *pd;		/* owned; see numbering_before_ep() */
	struct ibv_cq *cq;		/* owned */
};

/*
 * Bring the counter of @kind to a number that no other host claimed. @burn makes
 * and ends a throw-away object and stores its number; -1 when it cannot.
 */
void numbering_advance(struct numbering *n, enum number_kind kind,
		       int (*burn)(void *arg, uint32_t *number), void *arg);

/* What the call made: its number; without one (it failed) the counter is unknown. */
void numbering_made(struct numbering *n, enum number_kind kind, uint32_t number);
void numbering_failed(struct numbering *n, enum number_kind kind);

/* Before the call that makes one. The throw-away is made of @pd and @cq. */
void numbering_before_qp(struct step_ctx *ctx, struct ibv_pd *pd, struct ibv_cq *cq);
void numbering_before_mr(struct step_ctx *ctx, struct ibv_pd *pd);
/* Where the call itself opens the device: one of the agent's own is opened. */
void numbering_before_ep(struct step_ctx *ctx);

/* Anonymous memory in the range of this agent; MAP_FAILED with errno. */
void *numbering_map(struct numbering *n, size_t bytes);

#endif
