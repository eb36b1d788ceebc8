/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/cmd-util.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/visible.h"
#include "compile/scenario.h"

error_t cmd_args_parse(struct cmd_args *args, int key, const struct argp_state *state)
{
	if (key == CMD_KEY_JSON) {
		args->json = true;
	} else if (key == ARGP_KEY_ARGS) {
		args->arg = state->argv + state->next;
		args->count = state->argc - state->next;
	} else {
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void cmd_no_such(const struct argp_state *state, const char *option, choice_name *name,
		 const char *rest, const char *arg)
{
	auto_free char *names = choice_text(name, rest);

	argp_error(state, "%s takes %s, not '%s'", option, names, arg);
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
