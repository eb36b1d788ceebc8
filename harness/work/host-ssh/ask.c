/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/visible.h"
#include "job-exec/rsh.h"
#include "base/address.h"
#include "host-ssh/host-ssh.h"

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

int host_ssh_ask(const struct remote_command *c)
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
