/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "cmd/cmd.h"
#include "host-ssh/host-ssh.h"

static void print_rsh_usage(FILE *f)
{
	fputs("Usage: verbatim rsh [OPTION]... HOST COMMAND [ARG]...\n"
	      "Run a command on another host of the fabric, from a program that \"verbatim "
	      "exec\"\n"
	      "or \"verbatim shell\" started. VERBATIM_RSH is its path there, for programs that "
	      "need\n"
	      "an rsh or ssh.\n"
	      "\n"
	      "HOST is a name (b) or an address. The words of the command go to sh(1), with the\n"
	      "caller's standard input, outputs and folder. The exit status is the command's; 255 if\n"
	      "it could not be started. Options of ssh(1) are allowed. Variables whose names match a\n"
	      "word of VERBATIM_SEND_ENV ('UCX_* OMP_*') go along.\n"
	      "\n"
	      "On hosts, PATH begins with programs ssh and rsh that do so for names of hosts.\n"
	      "\n"
	      "Example:\n"
	      "  verbatim exec --on a='mpirun -H a,b ./hello'\n", f);
}

static int run_rsh(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?"))) {
		print_rsh_usage(stdout);
		return EXIT_OK;
	}
	if (argc > 1 && !strncmp(argv[1], "--", 2) && argv[1][2]) {
		visible_complain("rsh: unknown option '%s'; see verbatim rsh --help", argv[1]);
		return EXIT_USAGE;
	}
	if (!host_ssh_names_command(argv)) {
		print_rsh_usage(stderr);
		return EXIT_USAGE;
	}
	if (!getenv("VERBATIM_RSH_SOCKET")) {
		fputs("verbatim rsh: no VERBATIM_RSH_SOCKET: this works for programs of \"verbatim exec\" and "
		      "\"verbatim shell\"\n", stderr);
		return REMOTE_FAILED;
	}
	return host_ssh_verbatim_rsh(argv);
}

const struct cmd cmd_rsh = {
	.name = "rsh",
	.doc = "run a command on another host; for programs on a host",
	.run = run_rsh,
};
