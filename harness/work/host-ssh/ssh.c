/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "host-ssh/host-ssh.h"
#include "host-ssh/ssh-line.h"

#define SEND_VARIABLE "VERBATIM_SEND_ENV"

/* The variables that go along: those of VERBATIM_SEND_ENV, SendEnv and SetEnv. */
static char **variables(const struct ssh_line *line)
{
	const char *asked = getenv(SEND_VARIABLE);
	auto_free char *patterns = xasprintf("%s %s", asked ? asked : "", line->send.s ? line->send.s : "");
	auto_free char *set = xstrdup(line->set.s ? line->set.s : "");
	char **env = host_ssh_env(environ, patterns), *save = NULL, *word;
	size_t n = 0;

	while (env[n])
		n++;
	for (word = strtok_r(set, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		env = xreallocarray(env, n + 2, sizeof(*env));
		env[n++] = xstrdup(word);
		env[n] = NULL;
	}
	return env;
}

static void take_input_away(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	close(fd);
}

static int run_on_host(const char *program, const struct ssh_line *line, const char *host, const char *cwd)
{
	auto_free char *text = *line->words ? ssh_line_join(line->words) : xstrdup("exec /bin/sh");
	char **env = variables(line);
	struct remote_command command = {
		.program = program, .host = host, .text = text, .cwd = cwd, .env = env,
		.background = line->background,
	};
	int status;

	if (line->no_input)
		take_input_away();
	status = host_ssh_ask(&command);
	host_ssh_env_free(env);
	return status;
}

bool host_ssh_is_program(const char *name)
{
	return !strcmp(name, "ssh") || !strcmp(name, "rsh");
}

int host_ssh_open(const char *program, char **argv)
{
	auto_free char *reason = NULL;
	struct vbm_error err = {0};
	const char *home = getenv("HOME");
	struct ssh_line line;
	char host[8];
	int rc = ssh_line_read(&line, argv, &err), status;

	if (!host_ssh_host_here(line.host, host)) {
		reason = line.host ? xasprintf("'%s' is no host of the run", line.host) :
				     xstrdup("no host is named");
		status = host_ssh_other_program(program, argv, reason);
	} else if (rc < 0) {
		visible_complain("%s: %s", program, err.msg);
		status = REMOTE_FAILED;
	} else {
		status = run_on_host(program, &line, host, home ? home : "/");
	}
	ssh_line_fini(&line);
	return status;
}

bool host_ssh_names_command(char **argv)
{
	struct ssh_line line;
	bool names;

	ssh_line_read(&line, argv, NULL);
	names = line.host && *line.words;
	ssh_line_fini(&line);
	return names;
}

int host_ssh_verbatim_rsh(char **argv)
{
	auto_free char *cwd = getcwd(NULL, 0);
	struct vbm_error err = {0};
	struct ssh_line line;
	char host[8];
	int rc = ssh_line_read(&line, argv, &err), status = REMOTE_FAILED;

	/* Unlike ssh, it begins in the caller's folder, and never starts another program. */
	if (rc < 0)
		visible_complain("rsh: %s", err.msg);
	else if (!cwd)
		visible_complain("rsh: the current folder no longer exists: %s", strerror(errno));
	else
		status = run_on_host("rsh", &line, host_ssh_host_here(line.host, host) ? host : line.host, cwd);
	ssh_line_fini(&line);
	return status;
}
