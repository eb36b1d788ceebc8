/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_STATUS_H
#define VBM_SESSION_EXEC_STATUS_H

#include <verbatim/error.h>

#include "base/options.h"

/* Why "verbatim exec" ends with another status than 0. */
enum exec_end {
	EXEC_END_COMMAND,	/* a command failed; its status is its own */
	EXEC_END_FAILED,	/* the run broke: a lost place, output that cannot be written */
	EXEC_END_KERNEL,	/* the kernel complained, and nothing else failed */
	EXEC_END_ARGUMENTS,
	EXEC_END_PLACE,		/* there is no place to run in */
	EXEC_END_READY,		/* a command did not become ready */
	EXEC_END_TIMEOUT,
	EXEC_ENDS,
};

/* The status of each; -1: a command's own. */
struct exec_statuses {
	int of[EXEC_ENDS];
};

#define EXEC_STATUSES_DEFAULT {{[EXEC_END_COMMAND] = -1, [EXEC_END_FAILED] = 1,          \
				[EXEC_END_KERNEL] = 1, [EXEC_END_ARGUMENTS] = 2,          \
				[EXEC_END_PLACE] = 3, [EXEC_END_READY] = 3,               \
				[EXEC_END_TIMEOUT] = 124}}

/*
 * Reads "WHAT=STATUS,...": WHAT is a name of the table, or "verbatim" for all but a
 * command's own. -EINVAL with @err.
 */
int exec_status_read(struct exec_statuses *s, const char *text, struct vbm_error *err);

/*
 * Reads the values of --status among all arguments, because an error in another argument
 * has a status, too. Values that are wrong are left out: the parser complains of them.
 */
void exec_status_scan(struct exec_statuses *s, char **argv);

/* @own: the status of the command. */
int exec_status_of(const struct exec_statuses *s, enum exec_end end, int own);

/*
 * The beginning of the message of the error @rc. -EINTR: a signal ended the start of the place, so
 * nothing is known to be wrong with the place.
 */
const char *exec_end_intro(enum exec_end end, int rc);

/* Takes --status for a struct exec_statuses. */
void exec_status_take(void *statuses, const struct option_line *line, char *arg, struct argp_state *state);

#endif
