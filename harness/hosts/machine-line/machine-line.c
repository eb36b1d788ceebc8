/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine-line/machine-line.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "machine-line/machine-line-priv.h"
#include "process/child.h"

#define START_MS 60000		/* for ssh, the shell of the machine, and the start of the program */
#define WRITE_MS 60000		/* for a line; for a piece of the program. ssh notices earlier that the machine is gone */
#define PIECE (256 << 10)

/* The connections of a run. When one ends, nobody waits for the others any longer. */

void machine_line_join(struct machine_line *l, struct machine_line *other)
{
	struct machine_line *behind = l->beside;

	l->beside = other->beside;
	other->beside = behind;
}

static void group_leave(struct machine_line *l)
{
	struct machine_line *before = l;

	while (before->beside != l)
		before = before->beside;
	before->beside = l->beside;
	l->beside = l;
}

const char *machine_line_lost(const struct machine_line *l)
{
	const struct machine_line *o = l;

	do {
		if (o->broken)
			return o->broken;
		o = o->beside;
	} while (o != l);
	return NULL;
}

static void __attribute__((noreturn)) become_ssh(const struct machine_line *l, int fd, char **argv, pid_t parent)
{
	const int stdio[] = {fd, fd, l->said_fd};

	if (child_begin(&(struct child_setup){.parent = parent, .stdio = stdio}) == 0)
		execvp(argv[0], argv);
	fprintf(stderr, "cannot start %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int start(struct machine_line *l, const char *script, struct vbm_error *err)
{
	char **argv = machine_line_command(l->machine, script), **word;
	pid_t parent = getpid();
	int fds[2], ret = 0;

	l->said_fd = memfd_create("ssh-said", MFD_CLOEXEC);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		ret = vbm_fail(err, errno, "cannot make a socket pair: %s", strerror(errno));
	} else {
		fflush(NULL);
		l->pid = fork();
		if (l->pid == 0)
			become_ssh(l, fds[1], argv, parent);
		close(fds[1]);
		l->fd = l->reader.fd = fds[0];
		if (l->pid < 0) {
			l->pid = 0;
			ret = vbm_fail(err, errno, "cannot start a process: %s", strerror(errno));
		}
	}
	for (word = argv; *word; word++)
		free(*word);
	free(argv);
	return ret;
}

int machine_line_begin(struct machine_line **out, const struct value *machine, const struct machine_line_program *program,
		  struct vbm_error *err)
{
	const char *target = value_get_string(machine, "ssh", value_get_string(machine, "command", "local"));
	struct machine_line *l = xcalloc(1, sizeof(*l));
	auto_free char *script = machine_line_script(machine, program);
	int ret;

	*l = (struct machine_line){.machine = machine, .fd = -1, .said_fd = -1, .beside = l};
	l->reader = (struct line_reader){.fd = -1, .in.max = DISTANT_LINE_MAX};
	l->name = xasprintf("%s (%s)", value_get_string(machine, "name", "?"), target);
	ret = start(l, script, err);
	if (ret < 0) {
		machine_line_close(l);
		return ret;
	}
	*out = l;
	return 0;
}

void machine_line_adopt(struct machine_line **out, const struct value *machine, int fd)
{
	struct machine_line *l = xcalloc(1, sizeof(*l));

	*l = (struct machine_line){.machine = machine, .fd = fd, .said_fd = -1, .adopted = true, .beside = l};
	l->reader = (struct line_reader){.fd = fd, .in.max = DISTANT_LINE_MAX};
	l->name = xstrdup(value_get_string(machine, "name", "?"));
	*out = l;
}

static int write_piece(struct machine_line *l, const char *data, size_t left, struct vbm_error *err)
{
	int64_t deadline = clock_deadline_ms(WRITE_MS);
	struct pollfd p = {.fd = l->fd, .events = POLLOUT};
	ssize_t n;

	while (left) {
		n = send(l->fd, data, left, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return machine_line_break(l, err, "the connection ended while the program was copied");
		if (n < 0 && poll(&p, 1, clock_left_ms(deadline)) == 0)
			return machine_line_break(l, err, "the connection takes no more of the program");
		if (n > 0) {
			data += n;
			left -= (size_t)n;
		}
	}
	return 0;
}

static int copy_program(struct machine_line *l, struct vbm_error *err)
{
	auto_free char *path = xasprintf("/proc/%d/exe", getpid());
	auto_free char *data = NULL;
	size_t len, at, n;
	int ret = file_read(path, &data, &len, err);

	for (at = 0; ret == 0 && at < len; at += n) {
		n = len - at < PIECE ? len - at : PIECE;
		ret = write_piece(l, data + at, n, err);
	}
	l->copied = ret == 0;
	return ret;
}

/* The last output may be a message of the shell, which ssh does not pass on as an error. */
static int no_start(struct machine_line *l, int ret, struct vbm_error *err)
{
	auto_free char *what = NULL;
	auto_free char *shown = l->banner ? visible_line(l->banner) : NULL;

	what = xasprintf("%s%s%s%s", ret == -ETIMEDOUT ? "Verbatim did not start there in time" : "Verbatim did not start there",
			 shown ? " (the last line of its output: '" : "", shown ? shown : "", shown ? "')" : "");
	return machine_line_break(l, err, what);
}

int machine_line_ready(struct machine_line *l, struct vbm_error *err)
{
	int64_t deadline = clock_deadline_ms(START_MS);
	const char *line;
	size_t len;
	int ret;

	while ((ret = line_read(&l->reader, &line, &len, deadline)) > 0) {
		if (!strcmp(line, DISTANT_MARK))
			return 0;
		if (!strcmp(line, "verbatim-wants")) {
			ret = copy_program(l, err);
			if (ret < 0)
				return ret;
			deadline = clock_deadline_ms(START_MS);
		} else if (len) {
			free(l->banner);
			l->banner = xstrndup(line, len < 200 ? len : 200);
		}
	}
	return no_start(l, ret, err);
}

int machine_line_post(struct machine_line *l, struct value *question, struct vbm_error *err)
{
	auto_value struct value *q = question;
	auto_free char *text = json_write(q);
	auto_free char *line = xasprintf("0 %s", text);

	value_free(l->answer);
	l->answer = NULL;
	if (!l->broken && line_write(l->fd, line, clock_deadline_ms(WRITE_MS)) < 0)
		machine_line_break(l, NULL, "the connection ended");
	return l->broken ? vbm_fail(err, ECONNRESET, "%s", l->broken) : 0;
}

int machine_line_answer(struct machine_line *l, struct value **answer, int deadline_ms, struct vbm_error *err)
{
	int64_t deadline = clock_deadline_ms(deadline_ms);
	const struct value *error;
	int ret = 1;

	*answer = NULL;
	/* A question is not left open, because its answer would be taken for that of the next one. */
	while (!l->answer && (ret > 0 || ret == -ECONNABORTED))
		ret = machine_line_take(l, deadline);
	if (ret == -EINTR)
		return vbm_fail(err, EINTR, "the run was interrupted");
	if (ret == -ETIMEDOUT)
		return machine_line_break(l, err, "it does not answer");
	if (ret <= 0)
		return vbm_fail(err, ECONNRESET, "%s", l->broken);
	error = value_get(l->answer, "error");
	if (error)
		return vbm_fail(err, (int)value_get_int(error, "code", EPROTO), "machine %s: %s", l->name,
				value_get_string(error, "text", "no reason given"));
	*answer = value_dup(value_get(l->answer, "answer"));
	return 0;
}

int machine_line_ask(struct machine_line *l, struct value *question, struct value **answer, int deadline_ms,
	     struct vbm_error *err)
{
	int ret = machine_line_post(l, question, err);

	*answer = NULL;
	return ret < 0 ? ret : machine_line_answer(l, answer, deadline_ms, err);
}

void machine_line_close(struct machine_line *l)
{
	if (!l)
		return;
	group_leave(l);
	/* ssh ends when the station has ended, which ends when its input ends. Others have the line that was adopted, too. */
	if (l->fd >= 0 && !l->adopted)
		shutdown(l->fd, SHUT_WR);
	while (!l->broken && l->pid > 0 && machine_line_take(l, clock_deadline_ms(WRITE_MS)) > 0)
		;
	if (l->pid > 0 && l->broken == NULL)
		kill(l->pid, SIGKILL);
	machine_line_reap(l);
	if (l->fd >= 0)
		close(l->fd);
	if (l->said_fd >= 0)
		close(l->said_fd);
	line_reader_fini(&l->reader);
	value_free(l->answer);
	free(l->banner);
	free(l->broken);
	free(l->name);
	free(l);
}

const char *machine_line_name(const struct machine_line *l)
{
	return l->name;
}

bool machine_line_copied(const struct machine_line *l)
{
	return l->copied;
}

const char *machine_line_broken(const struct machine_line *l)
{
	return l->broken;
}

int machine_line_fd(const struct machine_line *l)
{
	return l->fd;
}
