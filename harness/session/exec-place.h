/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_PLACE_H
#define VBM_SESSION_EXEC_PLACE_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "front/follow.h"
#include "front/seen.h"
#include "front/signals.h"
#include "front/worker.h"
#include "session/exec.h"

/* What exec and shell share: a place that sees this machine's files. */
struct place {
	struct signals signals;
	struct lanes *lanes;	/* owned */
	struct worker *worker;	/* owned */
	struct seen seen;
	struct meeting *meeting;	/* owned; where others join; NULL: nowhere */
	bool told;		/* progress stands on the terminal */
};

#define PLACE_NONE {.signals.fd = -1}

/*
 * Options of a place: --share, --see, --memory and --cpus. A command lists it among the
 * children of its parser and hands it a struct exec_options.
 */
extern const struct argp place_argp;

/* Begin to start it. When that fails, *@status is the exit status to end with. */
int place_open(struct place *p, const struct exec_options *opts, bool terminal, int *status,
	       struct vbm_error *err);

/* Members that both jobs have: layout, env, cwd. The caller frees. */
struct value *place_job(const char *kind, const struct exec_options *opts);

/* Say on a terminal what is under way. @place is a struct place. */
void place_progress(const char *what, void *place);

/* Take the progress line away, for output of others. */
void place_quiet(struct place *p);

/* Follow its runner until that ends. */
int place_follow(struct place *p, const struct follow_ops *ops, void *arg,
		 struct vbm_error *err);

/*
 * Ends it, in the state that place_open() left it in, too. When a signal came,
 * this process dies of it here.
 */
void place_close(struct place *p);

#endif
