/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CMD_CMD_H
#define VBM_CMD_CMD_H

/*
 * Runs in: the front end: main() calls one of them.
 * Owns:    the options of the command.
 * Ends:    returns the exit status.
 * Tests:   tests/cli/usage.test, invariants.test, complete.test.
 */

#include <stddef.h>

#include "names/exit-status.h"

struct cmd_verbs;
struct options;

/* The largest number that --jobs takes. */
#define CMD_JOBS_MAX 64

/* A subcommand: one file cmd-NAME.c and one line in main.c's table. */
struct cmd {
	const char *name;
	const char *doc;	/* one line; NULL: the command is for programs, and help does not list it */
	int (*run)(int argc, char **argv);	/* argv[0] is "verbatim NAME" */
	const struct options *options;	/* NULL: it reads them in another way */
	const struct cmd_verbs *verbs;	/* the first argument is one of them, and @run is NULL; or NULL */
};

/* main.c: command number @i; NULL after the last one. */
const struct cmd *cmd_nth(size_t i);

extern const struct cmd cmd_check;
extern const struct cmd cmd_compare;
extern const struct cmd cmd_complete;
extern const struct cmd cmd_coverage;
extern const struct cmd cmd_decode;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_exec;
extern const struct cmd cmd_explain;
extern const struct cmd cmd_export;
extern const struct cmd cmd_explore;
extern const struct cmd cmd_findings;
extern const struct cmd cmd_kernel;
extern const struct cmd cmd_list;
extern const struct cmd cmd_matrix;
extern const struct cmd cmd_rdma_core;
extern const struct cmd cmd_report;
extern const struct cmd cmd_rsh;
extern const struct cmd cmd_run;
extern const struct cmd cmd_shell;
extern const struct cmd cmd_version;

#endif
