/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/search-path.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "job-exec/rsh.h"
#include "base/address.h"
#include "host-ssh/host-ssh.h"
#include "host-ssh/ssh-line.h"

#define SEND_VARIABLE "VERBATIM_SEND_ENV"

/* A command for sh(1) on another host, with the caller's descriptors 0, 1 and 2. */
struct remote_command {
	const char *program;	/* for messages: "ssh" */
	const char *host;
	const char *text;	/* for sh -c */
	const char *cwd;	/* the host's "/" if it has no such folder */
	char *const *env;	/* more variables, "NAME=VALUE", up to a NULL */
	bool background;	/* return 0 as soon as the command was asked for */
};

static char *request(const struct remote_command *c)
{
	auto_value struct value *map = value_map();
	struct value *env = value_list();
	char *const *p;

	value_set_string(map, "host", c->host);
	value_set(map, "command", json_bytes(c->text));
	value_set(map, "cwd", json_bytes(c->cwd));
	for (p = c->env; p && *p; p++)
		value_append(env, json_bytes(*p));
	value_set(map, "env", env);
	return json_write(map);
}

static int report_failure(const struct remote_command *c, const char *what, int error)
{
	visible_complain("%s: %s: %s", c->program, what, strerror(error));
	return REMOTE_FAILED;
}

static int connect_to_run(int fd)
{
	const char *name = getenv("VERBATIM_RSH_SOCKET");
	struct sockaddr_un sa;
	socklen_t len;

	if (!name || address_abstract(name, &sa, &len) < 0)
		return -EINVAL;
	return connect(fd, (struct sockaddr *)&sa, len) < 0 ? -errno : 0;
}

static int receive_answer(const struct remote_command *c, int fd)
{
	static char buf[RSH_MESSAGE_MAX];
	auto_value struct value *answer = NULL;
	int fds[RSH_FDS], n = rsh_receive(fd, buf, fds);

	if (n <= 0)
		return report_failure(c, "no answer", n ? -n : ECONNRESET);
	answer = json_read(buf, (size_t)n, NULL);
	if (value_get(answer, "status"))
		return (int)value_get_int(answer, "status", REMOTE_FAILED);
	visible_complain("%s: %s", c->program, value_get_string(answer, "error", "no reason given"));
	return REMOTE_FAILED;
}

/* Returns the exit status of the command, or REMOTE_FAILED after a message. */
static int ask_host(const struct remote_command *c)
{
	static const int stdio[RSH_FDS] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
	auto_close int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	auto_free char *text = request(c);
	int rc = connect_to_run(fd);

	if (rc < 0)
		return report_failure(c, "cannot reach the run", -rc);
	rc = rsh_send(fd, text, stdio);
	if (rc < 0)
		return report_failure(c, "cannot ask", -rc);
	/* The child keeps the connection, whose end would hang up on the command. */
	if (c->background && fork() != 0)
		return 0;
	return receive_answer(c, fd);
}

static bool is_this_program(const char *path)
{
	struct stat own, st;

	return stat("/proc/self/exe", &own) == 0 && stat(path, &st) == 0 && st.st_dev == own.st_dev &&
	       st.st_ino == own.st_ino;
}

/*
 * The first program called @name behind the last folder of PATH in which the name means
 * this program. So two installations of Verbatim cannot call each other without end.
 */
static char *find_other(const char *name)
{
	const char *at = search_path_of(environ), *end;
	char *found = NULL;

	for (; at; at = *end ? end + 1 : NULL) {
		auto_free char *path = NULL;

		end = strchrnul(at, ':');
		path = xasprintf("%.*s/%s", (int)(end - at), at, name);
		if (is_this_program(path)) {
			free(found);
			found = NULL;
		} else if (!found && search_path_is_executable(-1, path)) {
			found = steal(&path);
		}
	}
	return found;
}

/* The machine's own program of this name, further down PATH. Returns after a message. */
static int run_other_program(const char *name, char **argv, const char *reason)
{
	auto_free char *path = find_other(name);

	if (!path) {
		visible_complain("%s: %s, and PATH has no other %s", name, reason, name);
		return REMOTE_FAILED;
	}
	signal(SIGPIPE, SIG_DFL);
	execv(path, argv);
	visible_complain("%s: cannot start %s: %s", name, path, strerror(errno));
	return REMOTE_FAILED;
}

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
	status = ask_host(&command);
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
		status = run_other_program(program, argv, reason);
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
