/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/cmd-util.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "compile/scenario.h"
#include "runs/shard.h"

void cmd_take_shard(void *shard, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct vbm_error err;

	(void)line;
	if (shard_read(shard, arg, &err) < 0)
		argp_error(state, "%s", err.msg);
}

int cmd_fail(const struct vbm_error *err, int status)
{
	visible_complain("%s", err->msg);
	return status;
}

void cmd_print_json(struct value *v)
{
	auto_free char *text = json_write_pretty(v);

	puts(text);
	value_free(v);
}

void cmd_complain(const char *path, const struct diagnostics *diag,
		  const struct vbm_error *err)
{
	auto_free char *text = diagnostics_format(diag, path);

	if (diag->count || diag->warning_count)
		fputs(text, stderr);
	else
		visible_complain("%s", err->msg);
}

void cmd_problems(const struct text *lines, const struct vbm_error *err)
{
	if (lines->s)
		fputs(lines->s, stderr);
	visible_complain("%s", err->msg);
}
