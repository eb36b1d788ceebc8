/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "process/child.h"
#include "host-ssh/host-ssh.h"
#include "host-ssh/scp-script.h"

#define WITH_VALUE "cDFiJloPSX"

/* A place with the host that it is on. */
struct side {
	struct scp_place place;
	char host[8];		/* empty: this one */
	bool foreign;		/* on a machine that is no host */
};

/* One end of a copy: the script on this host or another, in a child process. */
static pid_t start(const struct side *side, const char *text, int in, int out)
{
	const int stdio[] = {in, out, STDERR_FILENO};
	const char *home = getenv("HOME");
	struct remote_command command = {
		.program = "scp", .host = side->host, .text = text, .cwd = home ? home : "/",
	};
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	if (child_begin(&(struct child_setup){
			.parent = parent, .death_signal = SIGTERM, .stdio = stdio,
		}) < 0)
		_exit(1);
	if (side->host[0])
		_exit(host_ssh_ask(&command));
	execl("/bin/sh", "sh", "-c", text, NULL);
	visible_complain("scp: cannot start /bin/sh: %s", strerror(errno));
	_exit(1);
}

static int wait_for(pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int copy(const struct side *from, const struct side *to, bool many,
		const struct scp_options *options)
{
	auto_free char *send = scp_sender(from->place.path, options);
	auto_free char *receive = scp_receiver(from->place.path, to->place.path, many, options);
	pid_t sender, receiver;
	int p[2], status;

	if (pipe2(p, O_CLOEXEC) < 0) {
		visible_complain("scp: cannot make a pipe: %s", strerror(errno));
		return 1;
	}
	sender = start(from, send, -1, p[1]);
	receiver = start(to, receive, p[0], STDOUT_FILENO);
	close(p[0]);
	close(p[1]);
	status = wait_for(sender);
	return (wait_for(receiver) | status) != 0;
}

/* Skips the options. Returns NULL for one that only the machine's scp knows. */
static char **read_options(char **argv, struct scp_options *options)
{
	const char *p;

	for (argv++; *argv && argv[0][0] == '-' && argv[0][1]; argv++) {
		if (strcmp(*argv, "--") == 0)
			return argv + 1;
		for (p = *argv + 1; *p; p++) {
			options->recursive |= *p == 'r';
			options->preserve |= *p == 'p';
			if (strchr(WITH_VALUE, *p)) {
				argv += !p[1] && argv[1];
				break;
			}
			if (!strchr("1234ABCOpqRrsTv", *p))
				return NULL;
		}
	}
	return argv;
}

/* Returns the number of places that are on hosts of the run. */
static size_t look(struct side *sides, size_t count, char **words)
{
	size_t i, ours = 0;

	for (i = 0; i < count; i++) {
		struct side *s = &sides[i];

		*s = (struct side){0};
		if (!scp_place_read(&s->place, words[i]))
			s->foreign = true;
		else if (s->place.name[0])
			s->foreign = !host_ssh_host_here(s->place.name, s->host);
		ours += s->host[0] != '\0';
	}
	return ours;
}

static int copy_all(const struct side *sides, size_t count, const struct scp_options *options)
{
	size_t i;
	int status = 0;

	for (i = 0; i < count; i++)
		if (sides[i].foreign) {
			visible_complain("scp: '%s' is not a host of this run: copy to this host first", sides[i].place.name);
			return 1;
		}
	for (i = 0; i + 1 < count; i++)
		status |= copy(&sides[i], &sides[count - 1], count > 2, options);
	return status;
}

int host_ssh_scp(int argc, char **argv)
{
	struct scp_options options = {0};
	char **words = read_options(argv, &options);
	auto_free struct side *sides = xcalloc((size_t)argc, sizeof(*sides));
	size_t count = 0;

	while (words && words[count])
		count++;
	if (count < 2 || look(sides, count, words) == 0)
		return host_ssh_other_program("scp", argv, "no file is on a host of the run");
	return copy_all(sides, count, &options);
}
