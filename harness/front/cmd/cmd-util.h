/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CMD_UTIL_H
#define VBM_CMD_UTIL_H

#include <argp.h>
#include <stdbool.h>

#include <verbatim/error.h>

#include "base/choice.h"

struct diagnostics;
struct text;

/* What several subcommands take: names or files, and "--json". */
struct cmd_args {
	bool json;
	char **arg;	/* borrowed from argv */
	int count;
};

enum { CMD_KEY_JSON = 0x800 };

#define CMD_OPTION_JSON {"json", CMD_KEY_JSON, NULL, 0, "As JSON", 0}

/* For a parser's last branch: ARGP_ERR_UNKNOWN for any other key. */
error_t cmd_args_parse(struct cmd_args *args, int key, const struct argp_state *state);

/* Ends the program: @option takes one of the names (and @rest, as " or a path"), not @arg. */
void cmd_no_such(const struct argp_state *state, const char *option, choice_name *name,
		 const char *rest, const char *arg);

/* What is wrong with a file: @diag, or @err when that is empty, to stderr. */
void cmd_complain(const char *path, const struct diagnostics *diag,
		  const struct vbm_error *err);

/* The lines that say what is wrong with a suite's files, then @err, to stderr. */
void cmd_problems(const struct text *lines, const struct vbm_error *err);

#endif
