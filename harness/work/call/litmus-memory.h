/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_LITMUS_MEMORY_H
#define VBM_CALL_LITMUS_MEMORY_H

#include "call/litmus-run.h"

/*
 * Where a copy of a program has its bytes: each word and each register in a cache line of its
 * own, then the values that requests send, and room for the messages of each queue pair.
 */
#define LITMUS_LINE 64
#define LITMUS_VALUES (LITMUS_ACTORS * LITMUS_INSTRUCTIONS)
#define LITMUS_COPY 1024
#define LITMUS_REQUESTS (LITMUS_BATCH * LITMUS_INSTRUCTIONS + 1)
#define LITMUS_MESSAGES (LITMUS_BATCH * LITMUS_COPY)	/* the offset of the first message */
#define LITMUS_BYTES (LITMUS_MESSAGES + LITMUS_PAIRS * LITMUS_BATCH * LITMUS_INSTRUCTIONS * 8)

static inline unsigned char *litmus_at(const struct litmus_run *r, int copy, int offset)
{
	return r->memory + (size_t)copy * LITMUS_COPY + (size_t)offset;
}

/* The value that the instruction @item of @actor sends. */
static inline int litmus_value_offset(int actor, int item)
{
	return (LITMUS_WORDS + LITMUS_REGISTERS) * LITMUS_LINE + (actor * LITMUS_INSTRUCTIONS + item) * 8;
}

/* The room for the message @n of a queue pair. */
static inline unsigned char *litmus_message(const struct litmus_run *r, int pair, int n)
{
	return r->memory + LITMUS_MESSAGES + (size_t)(pair * LITMUS_BATCH * LITMUS_INSTRUCTIONS + n) * 8;
}

/* litmus-wait.c: takes the next completion of the queue. False: none came in time. */
bool litmus_await(struct litmus_run *r, struct ibv_cq *cq, struct ibv_wc *wc);

#endif
