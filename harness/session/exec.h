/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_H
#define VBM_SESSION_EXEC_H

#include <stdbool.h>
#include <stddef.h>

#include "front/lane-choice.h"
#include "lane/lane.h"

/* What "verbatim exec" and "verbatim shell" were asked for; all borrowed. */
struct exec_command {
	const char *host;	/* "a" */
	const char *text;	/* for sh -c */
	bool service;		/* ends with the others */
	const char *ready, *ready_line;	/* how it tells that it is; or NULL */
};

struct exec_options {
	struct lane_choice choice;
	const char *share[SHARED_FOLDERS_MAX];	/* "DIR" or "DIR:ro" */
	size_t shares;
	const char **see;	/* @sees paths; none: all is seen */
	size_t sees;
	struct exec_command *commands;
	size_t count;
	int hosts;		/* at least; 0: as many as the commands name */
	int timeout_s;		/* 0: none */
	const char *input;	/* the host whose command gets standard input; or NULL */
	const char *output;	/* folder for what is kept of the run; or NULL */
	bool capture;		/* in it, what crosses the cables */
	int memory_mb, cpus;	/* of the machine; 0: what the lane has without being told */
};

/* Exit status of a run that took too long, as of timeout(1). */
#define EXEC_TIMED_OUT 124

/*
 * Run the commands on a fabric and pass on what they print. Returns the exit
 * status of the first that failed, or one of cmd.h.
 */
int exec_run(const struct exec_options *opts);

#endif
