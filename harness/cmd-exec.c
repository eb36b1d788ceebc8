/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "cmd.h"
#include "fabric/fabric.h"
#include "front/exec.h"

static const char doc[] =
	"Run programs of this machine on the hosts of a fabric."
	"\vHosts are called a, b, c and so on; there are at least two. Commands are for sh -c "
	"and see, besides the caller's environment:\n"
	"\n"
	"  VERBATIM_HOST                 the host's name\n"
	"  VERBATIM_DEV, _PORT           its RDMA device, and the port of it\n"
	"  VERBATIM_GID_INDEX, 6         where its addresses are in the GID table\n"
	"  VERBATIM_IP, _IP6, _NETDEV    its addresses and its interface\n"
	"  VERBATIM_IP_A, _IP6_A, ...    the addresses of every host\n"
	"\n"
	"They start in order, each once the one before listens (on TCP or with rdma_cm), has "
	"ended, or has run for a second. When one fails the others are ended. Their stdin is "
	"empty. In a guest they see this machine's files; what they write is gone with the "
	"guest, except below the folder given with --share.\n"
	"\n"
	"Example:\n"
	"  verbatim exec --on a='rping -s -a $VERBATIM_IP -C 5' \\\n"
	"                --on b='rping -c -a $VERBATIM_IP_A -C 5'\n"
	"\n"
	"Exit status: that of the first command that failed; 2 bad arguments, 3 no fabric "
	"could be made.";

enum { OPT_SHARE = 256, OPT_ON };

static const struct argp_option options[] = {
	{"on", OPT_ON, "HOST=COMMAND", 0, "what to run where (may be repeated)", 0},
	{"share", OPT_SHARE, "DIR", 0, "folder that stays writable in a guest", 0},
	{0},
};

static void add_command(struct exec_options *o, char *arg, struct argp_state *state)
{
	char *eq = strchr(arg, '=');
	int number;

	if (!eq || !eq[1])
		argp_error(state, "--on takes HOST=COMMAND, such as --on a='rping -s', not '%s'",
			   arg);
	*eq = '\0';
	number = fabric_host_number(arg);
	if (number < 0 || number >= FABRIC_HOSTS_MAX)
		argp_error(state, "no host is called '%s': a, b, c and so on", arg);
	GROW(o->commands, o->count);
	o->commands[o->count++] = (struct exec_command){arg, eq + 1};
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct exec_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->choice;
		return 0;
	case OPT_SHARE:
		o->share = arg;
		return 0;
	case OPT_ON:
		add_command(o, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!o->count)
			argp_error(state, "nothing to run: --on HOST=COMMAND is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {{&lane_choice_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
	struct exec_options o = {.choice = LANE_CHOICE_DEFAULT};
	int status;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	status = exec_run(&o);
	free(o.commands);
	return status;
}

const struct cmd cmd_exec = {
	.name = "exec",
	.args = "--on HOST=COMMAND [--on HOST=COMMAND]...",
	.doc = "run any program on the fabric",
	.run = run,
};
