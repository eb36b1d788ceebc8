/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LITMUS_PROGRAM_H
#define VBM_LITMUS_PROGRAM_H

/*
 * Runs in: any process, in the thread of the caller; no state of its own.
 * Owns:    the values that it returns belong to the caller.
 * Ends:    with the call.
 * Tests:   unit/test_litmus; tests/guest/uml-litmus.test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

/*
 * A litmus program: a few actors that work on the words x, y and z of one memory at the same
 * time, and keep what they read in the registers a to h.
 *
 *	q: write x 1, read y a | cpu: store y 1, load x b
 *
 * The actors q, r, s and t are queue pairs, which get their requests as one list; cpu is the
 * program that owns the memory. Their instructions:
 *
 *	write V N, read V R, add V N R, swap V OLD NEW R, send N	requests; "fence" before one fences it
 *	wait		the requests before it are complete before those after it are posted
 *	store V N, load V R, local-add V N R	of the processor
 *	receive Q R	waits for the message of the queue pair
 */
enum litmus_op {
	LITMUS_WRITE, LITMUS_READ, LITMUS_ADD, LITMUS_SWAP, LITMUS_SEND, LITMUS_WAIT,
	LITMUS_STORE, LITMUS_LOAD, LITMUS_LOCAL_ADD, LITMUS_RECEIVE,
	LITMUS_OPS
};

#define LITMUS_WORDS 3		/* x, y, z */
#define LITMUS_REGISTERS 8	/* a to h */
#define LITMUS_PAIRS 4		/* q, r, s, t */
#define LITMUS_ACTORS 4
#define LITMUS_INSTRUCTIONS 6	/* of one actor */
#define LITMUS_TERMS 4		/* of an outcome */

struct litmus_instruction {
	enum litmus_op op;
	bool fenced;
	int word, reg, pair;		/* -1: it has none */
	uint64_t value, old;
};

struct litmus_actor {
	int pair;			/* -1: the processor */
	struct litmus_instruction item[LITMUS_INSTRUCTIONS];
	int count;
};

struct litmus_program {
	struct litmus_actor actor[LITMUS_ACTORS];
	int actors;
	bool used[LITMUS_REGISTERS];	/* the registers that get a value */
	bool receives;			/* the processor waits for a message */
};

/* "a=1 b=0 x=2": values of registers, and of words at the end. All of them hold. */
struct litmus_outcome {
	struct {
		bool word;
		int at;
		uint64_t value;
	} term[LITMUS_TERMS];
	int terms;
};

int litmus_program_read(struct litmus_program *p, const char *text, struct vbm_error *err);

/* An outcome that names a register which @p leaves alone is an error. */
int litmus_outcome_read(struct litmus_outcome *o, const char *text, const struct litmus_program *p, struct vbm_error *err);

bool litmus_outcome_holds(const struct litmus_outcome *o, const uint64_t *reg, const uint64_t *word);

/* The outcomes of the copies of a program, and how often each came. Outcomes that find no place are counted together. */
#define HISTOGRAM_OUTCOMES 64
#define HISTOGRAM_TEXT 96

struct histogram {
	char text[HISTOGRAM_OUTCOMES][HISTOGRAM_TEXT];
	int times[HISTOGRAM_OUTCOMES];
	int count, others;
};

void histogram_note(struct histogram *h, const char *text);

/* "a=1 b=1 x=1 y=1: 985; a=0 b=0 x=1 y=1: 15; others: 3", the most frequent first. The caller frees it. */
char *histogram_show(const struct histogram *h);

#endif
