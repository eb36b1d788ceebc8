/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CMD_H
#define VBM_CMD_H

/* Exit statuses of every subcommand. */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,	/* something did not hold */
	EXIT_USAGE = 2,		/* bad arguments or an invalid scenario file */
	EXIT_NO_FABRIC = 3,	/* no place to run in */
};

/* A subcommand: one file cmd-NAME.c and one line in main.c's table. */
struct cmd {
	const char *name;
	const char *doc;	/* one line */
	int (*run)(int argc, char **argv);	/* argv[0] is "verbatim NAME" */
};

extern const struct cmd cmd_check;
extern const struct cmd cmd_compare;
extern const struct cmd cmd_coverage;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_exec;
extern const struct cmd cmd_explain;
extern const struct cmd cmd_findings;
extern const struct cmd cmd_kernel;
extern const struct cmd cmd_list;
extern const struct cmd cmd_report;
extern const struct cmd cmd_rsh;
extern const struct cmd cmd_run;
extern const struct cmd cmd_shell;
extern const struct cmd cmd_version;

#endif
