/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/out.h"
#include "base/suggest.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd-verb.h"
#include "cmd/cmd.h"
#include "machine-line/machine-line.h"
#include "event/event.h"
#include "init/init.h"
#include "host-ssh/host-ssh.h"
#include "job-kinds/runner.h"
#include "machine-station/station.h"

static const struct cmd *const commands[] = {
	&cmd_check,
	&cmd_compare,
	&cmd_complete,
	&cmd_coverage,
	&cmd_decode,
	&cmd_doctor,
	&cmd_exec,
	&cmd_explain,
	&cmd_export,
	&cmd_explore,
	&cmd_findings,
	&cmd_kernel,
	&cmd_list,
	&cmd_matrix,
	&cmd_rdma_core,
	&cmd_report,
	&cmd_rsh,
	&cmd_run,
	&cmd_shell,
	&cmd_version,
};

const struct cmd *cmd_nth(size_t i)
{
	return i < ARRAY_SIZE(commands) ? commands[i] : NULL;
}

static void print_commands(FILE *f)
{
	size_t i;

	fputs("Usage: verbatim COMMAND [OPTION]... [ARG]...\n"
	      "Does your RDMA stack do what its manual says - verbatim?\n\n"
	      "Commands:\n", f);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i]->doc)
			fprintf(f, "  %-10s %s\n", commands[i]->name, commands[i]->doc);
	fputs("\n"
	      "\"verbatim COMMAND --help\" says more about one of them.\n"
	      "\n"
	      "Examples:\n"
	      "  verbatim run                      every scenario, in the first lane that works "
	      "here\n"
	      "  verbatim run scenarios/resolve    one area\n"
	      "  verbatim doctor                   what works on this machine, and why not\n", f);
}

static int report_unknown_command(const char *name)
{
	struct suggestion s;
	auto_free char *hint = NULL;
	size_t i;

	suggest_init(&s, name);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i]->doc)
			suggest_offer(&s, commands[i]->name);
	hint = suggest_ending(suggest_best(&s));
	visible_complain("unknown command '%s'%s; see verbatim --help", name, hint);
	return EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
	char name[64];
	size_t i;

	if (!clock_factor_is_sound()) {
		visible_complain("VERBATIM_FACTOR is a number from 1 to %d, not '%s'", CLOCK_FACTOR_MAX,
			 getenv("VERBATIM_FACTOR"));
		return EXIT_USAGE;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i]->name, argv[0]))
			continue;
		snprintf(name, sizeof(name), "verbatim %s", argv[0]);
		argv[0] = name;
		return commands[i]->verbs ? cmd_verb_run(commands[i]->verbs, argc, argv) : commands[i]->run(argc, argv);
	}
	return report_unknown_command(argv[0]);
}

/* The program fails if output was lost, or if an event was read wrongly. */
static int close_stdout(int ret)
{
	if (ret == EXIT_OK && event_faulted())
		ret = EXIT_FAILED;
	return out_end() || ret ? ret : EXIT_FAILED;
}

/* Options like --help end the program while they are read. */
static void at_exit(void)
{
	if (out_end())
		return;
	out_end_by_signal();
	_exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
	static char help_option[] = "--help";

	/* A guest's kernel starts this program as its first process. */
	if (getpid() == 1 && strcmp(argv[0], "/init") == 0)
		init_main(argc, argv);
	/* A guest's kernel also starts this program when a program dies. */
	if (argc == 6 && !strcmp(argv[0], GUEST_CORE_HANDLER) && !strcmp(argv[1], "core"))
		return init_core_main(argv + 2);
	if (argc == 2 && strcmp(argv[0], RUNNER_PROGRAM) == 0)
		return runner_program(argv[1]);
	if (argc == 3 && strcmp(argv[1], DISTANT_STATION_WORD) == 0)
		return station_main(argv[2]);
	out_begin();
	atexit(at_exit);
	argp_err_exit_status = EXIT_USAGE;
	if (!strcmp(basename(argv[0]), "verbatim-rsh"))
		return close_stdout(cmd_rsh.run(argc, argv));
	if (host_ssh_is_program(basename(argv[0])))
		return close_stdout(host_ssh_open(basename(argv[0]), argv));
	if (argc < 2) {
		print_commands(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") && argc > 2)
		return close_stdout(dispatch(2, (char *[]){argv[2], help_option, NULL}));
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_commands(stdout);
		return close_stdout(EXIT_OK);
	}
	if (!strcmp(argv[1], "--version")) {
		argc = 2;
		argv[1] += 2;
	}
	return close_stdout(dispatch(argc - 1, argv + 1));
}
