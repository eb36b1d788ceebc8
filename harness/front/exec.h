/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_EXEC_H
#define VBM_FRONT_EXEC_H

#include <stddef.h>

#include "front/lane-choice.h"

/* What "verbatim exec" and "verbatim shell" were asked for; all borrowed. */
struct exec_command {
	const char *host;	/* "a" */
	const char *text;	/* for sh -c */
};

struct exec_options {
	struct lane_choice choice;
	const char *share;
	struct exec_command *commands;
	size_t count;
};

/*
 * Run the commands on a fabric and pass on what they print. Returns the exit
 * status of the first that failed, or one of cmd.h.
 */
int exec_run(const struct exec_options *opts);

#endif
