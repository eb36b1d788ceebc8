/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_H
#define VBM_SESSION_EXEC_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the terminal and the output of the user's commands, and the meeting for --join.
 * Ends:    with the commands; a second signal ends at once.
 * Tests:   unit/test_exec_*; tests/guest/exec.test, join.test.
 */

#include <stdbool.h>
#include <stddef.h>

#include "worker/lane-choice.h"
#include "lane/lane.h"
#include "session/exec-status.h"

struct value;

/* The options and arguments of "verbatim exec" and "verbatim shell"; all borrowed. */
struct exec_command {
	const char *host;	/* "a" */
	const char *text;	/* for sh -c */
	bool service;		/* ends with the others */
	const char *ready, *ready_line;	/* how to find out that it is ready; or NULL */
};

struct exec_options {
	struct lane_choice choice;
	const char *share[SHARED_FOLDERS_MAX];	/* "DIR" or "DIR:ro" */
	size_t shares;
	const char **see;	/* @sees paths; none: programs see everything */
	size_t sees;
	struct exec_command *commands;
	size_t count;
	int hosts;		/* at least so many; 0: as many as the commands name */
	bool routed;		/* each host in a network of its own, with a router between them */
	int timeout_s;		/* 0: none */
	const char *input;	/* the host whose command gets standard input; or NULL */
	const char *output;	/* folder for the files of the run; or NULL */
	const char *format, *html, *history, *name;	/* of reports; NULL: none, and the name "exec" */
	const char *trace;	/* what --trace names; or NULL */
	struct exec_statuses statuses;
	bool virtual_time;
	bool capture;		/* with the packets on the cables */
	const char *machines_file;	/* the hosts are the machines that it names; NULL: they are made */
	struct value *machines;		/* owned by the command; those of the file */
	bool may_configure;		/* these machines are given what they lack, until the run ends */
	const char *wire;	/* a file with rules for packets; or NULL */
	const char *target;	/* a build of rdma-core for the programs; or NULL */
	int memory_mb, cpus;	/* of the guest; 0: the lane's default */
};

/*
 * Runs the commands on a fabric and passes on their output. Returns the exit status: that of
 * the first command that failed, or one of @opts' statuses.
 */
int exec_run(const struct exec_options *opts);

#endif
