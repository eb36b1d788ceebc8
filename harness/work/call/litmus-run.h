/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_LITMUS_RUN_H
#define VBM_CALL_LITMUS_RUN_H

#include <infiniband/verbs.h>

#include "call/target.h"
#include "litmus/program.h"

/*
 * The queue pairs and the memory of a litmus program. Both ends of each connection are in
 * this process, so that the program's processor can look at the memory at any time.
 */
#define LITMUS_BATCH 32		/* so many copies of a program run at the same time, each with words of its own */

struct litmus_pair {
	struct ibv_qp *own, *peer;
	struct ibv_cq *sends, *receives;
};

struct litmus_run {
	const struct target *target;		/* borrowed */
	struct ibv_pd *pd;			/* borrowed */
	const struct litmus_program *program;	/* borrowed */
	int port, gid_index;
	uint64_t random;
	int64_t deadline_ns;
	unsigned char *memory;			/* owned */
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct litmus_pair pair[LITMUS_PAIRS];
	int received[LITMUS_PAIRS];		/* messages of this batch that the processor has taken */
	uint64_t message[LITMUS_PAIRS][LITMUS_BATCH * LITMUS_INSTRUCTIONS];
	enum ibv_wc_status status;		/* the first completion that did not succeed */
};

/* Makes the objects. Returns 0 or a negative errno; litmus_close() in either case. */
int litmus_open(struct litmus_run *r, struct vbm_error *err);
void litmus_close(struct litmus_run *r);

/* Runs @count copies. The results are in litmus_registers() and litmus_words(). 1: a request failed, see @status. */
int litmus_batch(struct litmus_run *r, int count, struct vbm_error *err);

const uint64_t *litmus_register(const struct litmus_run *r, int copy, int reg);
uint64_t *litmus_word(const struct litmus_run *r, int copy, int word);

#endif
