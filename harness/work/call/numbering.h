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
 * Two hosts of a scenario never share a queue pair number, the index of a memory
 * key or the address of a buffer. So a scenario fails if it uses a number of the
 * wrong host. Without this, fresh devices and forked processes would give all
 * hosts the same numbers.
 *
 * Buffers: each agent has its own range of addresses. Numbers: a device counts
 * up. An agent makes and destroys a queue pair to see its device's counter, and
 * claims the next few numbers for its host on a board that all agents share. If
 * another host has claimed them, the agent makes and destroys more queue pairs
 * until the counter has left that claim. The counters stay apart in the next
 * scenarios, so one such object for each host is enough there.
 */
enum number_kind {
	NUMBER_QP,	/* of a queue pair */
	NUMBER_MR,	/* of a region: its lkey and rkey without the last byte */
	NUMBER_KINDS,
};

#define NUMBER_CLAIM 8		/* how many numbers are claimed at once */
#define NUMBER_HOSTS_MAX 128	/* hosts after these may share numbers */

/* Lies in memory that the runner's children share. NULL if there is no such memory. */
struct number_board;
struct number_board *number_board_new(void);
void number_board_free(struct number_board *board);

/*
 * An agent of the host starts, or has ended. When the last one ends, the claims
 * of the host end. @board may be NULL.
 */
void number_board_enter(struct number_board *board, int host);
void number_board_leave(struct number_board *board, int host);

struct numbering {
	struct number_board *board;	/* shared; NULL: numbers are not kept apart */
	int host, process;		/* from 0; the process is one of the host's agents */
	size_t mapped;			/* bytes of this agent's range that are used */
	struct ibv_pd *pd;		/* owned; see numbering_before_ep() */
	struct ibv_cq *cq;		/* owned */
};

/*
 * Advances the counter of @kind to a number that no other host has claimed. @advance
 * makes and destroys an object and stores its number; -1 when it cannot.
 */
void numbering_advance(struct numbering *n, enum number_kind kind,
		       int (*advance)(void *arg, uint32_t *number), void *arg);

/* Notes the number that the call gave. If the call failed, the counter is not known. */
void numbering_made(struct numbering *n, enum number_kind kind, uint32_t number);
void numbering_failed(struct numbering *n, enum number_kind kind);

/* To be called before a queue pair is made. Uses @pd and @cq to advance the counter. */
void numbering_before_qp(struct step_ctx *ctx, struct ibv_pd *pd, struct ibv_cq *cq);
void numbering_before_mr(struct step_ctx *ctx, struct ibv_pd *pd);
/* The same for a call that opens the device itself, so this opens the device once more. */
void numbering_before_ep(struct step_ctx *ctx);

/* Maps anonymous memory in the range of this agent. MAP_FAILED with errno. */
void *numbering_map(struct numbering *n, size_t bytes);

#endif
