/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_EXEC_PLACE_H
#define VBM_FRONT_EXEC_PLACE_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "front/exec.h"
#include "front/worker.h"

/*
 * What exec and shell share: a place with this machine's file system in it and
 * a runner there. *@status is the exit status for what went wrong.
 */
struct place {
	struct worker *worker;	/* owned */
	char *share;			/* owned; absolute, or NULL */
	bool told;			/* progress stands on the terminal */
};

int place_open(struct place *p, const struct exec_options *opts, bool terminal, int *status,
	       struct vbm_error *err);

/* Members that both jobs have: layout, env, cwd. The caller frees. */
struct value *place_job(const char *kind, const struct exec_options *opts);

/* Take the progress line away, for output of others. */
void place_quiet(struct place *p);

/* Ends it. Dies of the signal that interrupted it, if one did. */
void place_close(struct place *p);

#endif
