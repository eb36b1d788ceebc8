/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "cmd.h"
#include "commands/rsh.h"
#include "process/abstract.h"

/* The status of ssh(1) for its own failures. */
#define NOT_THERE 255

static void usage(FILE *f)
{
	fputs("Usage: verbatim rsh [OPTION]... HOST COMMAND [ARG]...\n"
	      "Run a command on another host of the fabric, from a program that \"verbatim "
	      "exec\"\n"
	      "or \"verbatim shell\" started. VERBATIM_RSH is its path there, for programs that "
	      "need\n"
	      "an rsh or ssh.\n"
	      "\n"
	      "HOST is a name (b) or an address. The words of the command go to sh(1), with the\n"
	      "caller's standard input and outputs. The exit status is the command's; 255 if it\n"
	      "could not be started. Options of ssh(1) are allowed and do nothing.\n"
	      "\n"
	      "Example:\n"
	      "  verbatim exec --on a='mpirun -H a,b ./hello'\n", f);
}

/* Skips options of ssh(1), with their arguments. */
static int skip_options(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++)
		if (!argv[i][2] && strchr("BbcDEeFIiJLlmOopQRSWw", argv[i][1]))
			i++;
	return i;
}

static char *request(const char *host, const char *cwd, char **words)
{
	auto_value struct value *map = value_map();
	auto_text struct text command = {0};

	for (; *words; words++)
		text_addf(&command, "%s%s", command.len ? " " : "", *words);
	value_set_string(map, "host", host);
	value_set(map, "command", json_bytes(command.s));
	value_set(map, "cwd", json_bytes(cwd));
	return json_write(map);
}

static int fail(const char *what, int error)
{
	visible_complain("rsh: %s: %s", what, strerror(error));
	return NOT_THERE;
}

static int ask(int fd, const char *text)
{
	static const int stdio[RSH_FDS] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
	static char buf[RSH_MESSAGE_MAX];
	auto_value struct value *answer = NULL;
	int fds[RSH_FDS], n = rsh_send(fd, text, stdio);

	if (n < 0)
		return fail("cannot ask", -n);
	n = rsh_receive(fd, buf, fds);
	if (n <= 0)
		return fail("no answer", n ? -n : ECONNRESET);
	answer = json_read(buf, (size_t)n, NULL);
	if (value_get(answer, "status"))
		return (int)value_get_int(answer, "status", NOT_THERE);
	visible_complain("rsh: %s", value_get_string(answer, "error", "no reason given"));
	return NOT_THERE;
}

static int run(int argc, char **argv)
{
	const char *name = getenv("VERBATIM_RSH_SOCKET");
	auto_close int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int at = skip_options(argc, argv);
	auto_free char *text = NULL, *cwd = NULL;
	struct sockaddr_un sa;
	socklen_t len;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?"))) {
		usage(stdout);
		return EXIT_OK;
	}
	if (argc > 1 && !strncmp(argv[1], "--", 2)) {
		visible_complain("rsh: unknown option '%s'; see verbatim rsh --help", argv[1]);
		return EXIT_USAGE;
	}
	if (at + 2 > argc) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!name) {
		fputs("verbatim rsh: no VERBATIM_RSH_SOCKET: this works for programs of \"verbatim exec\" and "
		      "\"verbatim shell\"\n", stderr);
		return NOT_THERE;
	}
	if (abstract_address(name, &sa, &len) < 0 || connect(fd, (struct sockaddr *)&sa, len) < 0)
		return fail("cannot reach the run", errno);
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return fail("the current folder no longer exists", errno);
	text = request(argv[at], cwd, argv + at + 1);
	return ask(fd, text);
}

const struct cmd cmd_rsh = {
	.name = "rsh",
	.doc = "run a command on another host; for programs on a host",
	.run = run,
};
