/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_PLACE_H
#define VBM_SESSION_EXEC_PLACE_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "worker/follow.h"
#include "worker/seen.h"
#include "worker/signals.h"
#include "rdma-build/target-choice.h"
#include "worker/worker.h"
#include "session/exec.h"

/* For exec and shell: the place with their hosts, which see this machine's files. */
struct place {
	struct signals signals;
	struct lanes *lanes;	/* owned */
	struct worker *worker;	/* owned */
	struct seen seen;
	struct target_choice target;	/* of --target, or empty */
	char *trace;		/* owned; the object of --trace, or NULL */
	struct meeting *meeting;	/* owned; others can join here; NULL: they cannot */
	bool told;		/* a line of progress is on the terminal */
};

#define PLACE_NONE {.signals.fd = -1}

/*
 * Options of a place: --target, --trace, --routed, --may-configure, --share, --see, --memory and --cpus. A command lists it among its
 * tables, for a struct exec_options.
 */
extern const struct option_line place_options[];

/* Reads the options of exec and shell into @arguments, which begin with a struct exec_options. */
void place_options_parse(const struct options *options, int argc, char **argv, void *arguments);
void place_options_fini(struct exec_options *o);

/* Begins to start the place. If that fails, *@status is the exit status to end with. */
int place_open(struct place *p, const struct exec_options *opts, bool terminal, int *status,
	       struct vbm_error *err);

/* Prints an event of a machine: what the run configures there, or what it has restored. */
void place_event(struct place *p, const struct value *event);

/* A job with the members that both kinds have: layout, env, cwd. The caller frees it. */
struct value *place_job(const char *kind, const struct exec_options *opts);

/* Adds the variables of --target and --trace to the environment in @job. */
void place_put_target(const struct place *p, struct value *job);

/* Shows a line of progress on a terminal. @place is a struct place. */
void place_progress(const char *what, void *place);

/* Removes the line of progress, before other output. */
void place_quiet(struct place *p);

/* Follows the place's runner until its end. */
int place_follow(struct place *p, const struct follow_ops *ops, void *arg,
		 struct vbm_error *err);

/*
 * Ends the place, also after a failed place_open(). If a signal came, this process dies
 * of it here.
 */
void place_close(struct place *p);

/*
 * The shared object of --trace @what, by its path; the caller frees. NULL with @err: there is
 * no such trace, or the object is missing, or its path is one that LD_PRELOAD cannot have.
 */
char *exec_trace_find(const char *what, struct vbm_error *err);

/* Puts the object in front of the LD_PRELOAD of the commands of @job. */
void exec_trace_put(struct value *job, const char *path);

#endif
