/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdlib.h>

#include "cmd.h"
#include "fabric/fabric.h"
#include "front/exec.h"
#include "front/exec-place.h"
#include "front/shell.h"

static const char doc[] =
	"A terminal in a host of a fabric (a, unless another one is named)."
	"\vThe shell is $SHELL, sees the variables that verbatim exec describes, and in a "
	"guest this machine's files; what it writes is gone with the guest, except below the "
	"folders given with --share. 'exit' ends it; its status is the exit status.";

struct arguments {
	struct exec_options opts;
	const char *host;
};

static void set_host(struct arguments *a, const char *host, struct argp_state *state)
{
	int number = fabric_host_number(host);

	if (state->arg_num > 0)
		argp_error(state, "one host at a time");
	if (number < 0 || number >= FABRIC_HOSTS_MAX)
		argp_error(state, "no host is called '%s': a, b, c and so on", host);
	a->host = host;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->opts.choice;
		state->child_inputs[1] = &a->opts;
		return 0;
	case ARGP_KEY_ARG:
		set_host(a, arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&lane_choice_argp, 0, NULL, 0}, {&place_argp, 0, NULL, 0}, {0},
	};
	static const struct argp argp = {NULL, parse, "[HOST]", doc, children, NULL, NULL};
	struct arguments a = {.opts = {.choice = LANE_CHOICE_DEFAULT}, .host = "a"};

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	return shell_run(a.host, &a.opts);
}

const struct cmd cmd_shell = {
	.name = "shell",
	.args = "[HOST]",
	.doc = "a terminal in a host of the fabric",
	.run = run,
};
