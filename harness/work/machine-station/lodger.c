/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent-main.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "call/numbering.h"
#include "process/child.h"
#include "process/task.h"
#include "machine-station/station-priv.h"

/* The agents that live here. */

static struct lodger *find_lodger(struct station *s, int number)
{
	size_t i;

	for (i = 0; i < LODGERS_MAX; i++)
		if (s->lodgers[i].pid && s->lodgers[i].number == number)
			return &s->lodgers[i];
	return NULL;
}

static struct lodger *find_free(struct station *s)
{
	size_t i;

	for (i = 0; i < LODGERS_MAX; i++)
		if (!s->lodgers[i].pid)
			return &s->lodgers[i];
	return NULL;
}

static struct agent_options options_of(const struct station *s, const struct value *setup, int log_fd)
{
	struct agent_options o = {
		.host_index = s->host,
		.target = value_get_string(setup, "target", NULL),
		.variant = value_get_string(setup, "variant", NULL),
		.env = value_get(setup, "env"),
		.number = (int)value_get_int(setup, "process", 0),
		.log_fd = log_fd,
	};

	if (s->fabric)
		o.host = *fabric_host(s->fabric, 0);
	snprintf(o.host.name, sizeof(o.host.name), "%.7s", value_get_string(setup, "name", "-"));
	return o;
}

static void read_more(struct lodger *l)
{
	static char chunk[65536];
	ssize_t n = recv(l->said.fd, chunk, sizeof(chunk), MSG_DONTWAIT);
	const char *line;
	size_t len;

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		watch_close(&l->said);
		return;
	}
	if (n < 0)
		return;
	line_feed(&l->lines, chunk, (size_t)n);
	while (line_next(&l->lines, &line, &len) > 0)
		station_say(l->station, l->number, line);
}

static void on_said(struct watch *w, uint32_t events)
{
	(void)events;
	read_more(OWNER_OF(w, struct lodger, said));
}

static char *read_log(int fd)
{
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char *text = xcalloc(1, AGENT_LOG_MAX + 1);

	if (size > 0 && pread(fd, text, AGENT_LOG_MAX, size > AGENT_LOG_MAX ? size - AGENT_LOG_MAX : 0) < 0)
		text[0] = '\0';
	return text;
}

static void remove_lodger(struct lodger *l)
{
	number_board_leave(l->station->board, l->station->host);
	watch_close(&l->said);
	watch_close(&l->gone);
	vbm_loop_remove(&l->station->loop, &l->said);
	vbm_loop_remove(&l->station->loop, &l->gone);
	line_buffer_fini(&l->lines);
	if (l->log_fd >= 0)
		close(l->log_fd);
	l->pid = 0;
}

static void on_gone(struct watch *w, uint32_t events)
{
	struct lodger *l = OWNER_OF(w, struct lodger, gone);
	auto_free char *log = NULL;
	int status = 0;
	char byte;

	(void)events;
	while (l->said.fd >= 0 && recv(l->said.fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0)
		read_more(l);
	while (waitpid(l->pid, &status, 0) < 0 && errno == EINTR)
		;
	log = read_log(l->log_fd);
	station_tell_end(l->station, l->number, status, log);
	remove_lodger(l);
}

void lodger_end(struct lodger *l)
{
	child_end(l->pid);
	remove_lodger(l);
}

/* The process starts here; the caller has filled in the rest. */
static void start_lodger(struct station *s, struct lodger *l, const struct value *setup, int far_fd)
{
	struct agent_options o = options_of(s, setup, l->log_fd);
	pid_t parent = getpid();

	number_board_enter(s->board, s->host);
	l->pid = fork();
	if (l->pid == 0)
		agent_main(far_fd, &o, parent, s->board);
	watch_add(&s->loop, &l->gone, l->pid > 0 ? pidfd_open(l->pid, 0) : -1, POLLIN, on_gone);
}

int lodger_start(struct station *s, const struct value *setup)
{
	int number = (int)value_get_int(setup, "agent", 0), fds[2];
	struct lodger *l = find_free(s);

	if (!l || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		station_tell_end(s, number, W_EXITCODE(1, 0), l ? strerror(errno) : "too many agents");
		return -EAGAIN;
	}
	*l = (struct lodger){.number = number, .station = s, .said.rank = 0, .gone.rank = 1};
	l->log_fd = memfd_create("agent-log", MFD_CLOEXEC);
	watch_add(&s->loop, &l->said, fds[0], POLLIN, on_said);
	start_lodger(s, l, setup, fds[1]);
	close(fds[1]);
	if (l->gone.fd < 0) {
		station_tell_end(s, number, W_EXITCODE(1, 0), strerror(errno));
		lodger_end(l);
	}
	return 0;
}

void lodger_signal(struct station *s, int number, int signal)
{
	struct lodger *l = find_lodger(s, number);

	if (l)
		pidfd_send_signal(l->gone.fd, signal, NULL, 0);
}

int lodger_doing(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	const struct lodger *l = find_lodger(s, (int)value_get_int(q, "agent", 0));
	auto_free char *doing = l ? task_says(l->pid) : NULL;

	(void)err;
	if (doing)
		value_set_string(answer, "doing", doing);
	return 0;
}

void lodger_write(struct station *s, int number, const char *line, size_t len)
{
	struct lodger *l = find_lodger(s, number);
	auto_free char *whole = xasprintf("%.*s\n", (int)len, line);

	if (l && !station_may_pass(s, number, line, len))
		return;
	/* An agent takes one request at a time, so its socket has room for a whole one; or the agent is gone. */
	if (l && l->said.fd >= 0)
		file_write(l->said.fd, whole, len + 1);
}
