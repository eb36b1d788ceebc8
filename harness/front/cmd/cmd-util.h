/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CMD_CMD_UTIL_H
#define VBM_CMD_CMD_UTIL_H

#include <verbatim/error.h>

#include "base/options.h"

struct diagnostics;
struct text;
struct value;

/* Takes --shard for a struct shard. */
void cmd_take_shard(void *shard, const struct option_line *line, char *arg, struct argp_state *state);

/* Says the error, and returns @status. */
int cmd_fail(const struct vbm_error *err, int status);

/* Takes over @v. */
void cmd_print_json(struct value *v);

/* Prints to stderr why a file is wrong: @diag, or @err when that is empty. */
void cmd_complain(const char *path, const struct diagnostics *diag,
		  const struct vbm_error *err);

/* The lines that say what is wrong with a suite's files, then @err, to stderr. */
void cmd_problems(const struct text *lines, const struct vbm_error *err);

#endif
