/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/watch.h"
#include "names/exit-status.h"
#include "event/read.h"
#include "worker/signals.h"
#include "process/peer.h"
#include "session/meeting.h"
#include "session/tty.h"

#define PIECE 1024	/* a line to a user-mode kernel is slow */
#define BEGIN_MS 2000	/* for a run to begin */
#define CHECK_MS 20

struct joined {
	struct peer run;
	struct tty tty;
	struct signals signals;
	struct loop loop;
	struct watch answers, typed, size, signal;
	bool under_way;		/* typed input was sent and is not taken yet */
	bool eof;		/* of standard input */
	bool begun;		/* the run has answered */
	bool over;
	enum exec_end end;
	int status;		/* the shell's own */
};

static void send_bytes(struct joined *j, const char *bytes, size_t n)
{
	auto_value struct value *m = value_map();
	auto_free char *text = base64_encode(bytes, n);

	value_set_string(m, "data", text);
	j->under_way = true;
	peer_say(&j->run, m);
}

static void on_typed(struct watch *typed, uint32_t events)
{
	struct joined *j = OWNER_OF(typed, struct joined, typed);
	char buf[PIECE];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	j->eof = n <= 0;
	/* Twice, because the first only ends an incomplete line. */
	if (j->eof)
		send_bytes(j, "\004\004", 2);
	else
		send_bytes(j, buf, (size_t)n);
}

static void on_size(struct watch *w, uint32_t events)
{
	struct joined *j = OWNER_OF(w, struct joined, size);
	auto_value struct value *size = value_map();

	(void)events;
	tty_take_winch(&j->tty);
	tty_add_size(size);
	if (size->map.count)
		peer_say(&j->run, size);
}

static void handle_answer(struct joined *j, const struct value *line)
{
	const char *data = event_string_or(line, "data", NULL);
	const char *error = event_string_or(line, "error", NULL);
	size_t len = 0;
	auto_free char *bytes = data ? base64_decode(data, &len) : NULL;

	if (bytes && !j->begun) {
		j->begun = true;
		tty_make_raw(&j->tty);
	}
	if (bytes && file_write(STDOUT_FILENO, bytes, len) < 0)
		j->over = true;
	if (event_flag_or(line, "taken", false))
		j->under_way = false;
	if (error) {
		tty_restore(&j->tty);
		visible_complain("%s", error);
		j->end = EXEC_END_ARGUMENTS;
	}
	if (event_has(line, "status")) {
		j->end = EXEC_END_COMMAND;
		j->status = (int)event_integer_or(line, "status", EXIT_FAILED);
	}
	j->over |= error || event_has(line, "status");
}

/* The run passes on the events of its runner that are about this terminal. */
static void hear_line(struct joined *j, const struct value *line)
{
	struct vbm_error err = {0};

	if (event_check(line, &err) == 0 && event_is(line, "terminal")) {
		handle_answer(j, line);
		return;
	}
	tty_restore(&j->tty);
	visible_complain("the run sent a line that is not about this terminal%s%s", err.code ? ": " : "",
		 err.code ? err.msg : "");
	j->over = true;
}

static void request(struct joined *j, const char *host)
{
	auto_value struct value *m = value_map();
	auto_free char *cwd = getcwd(NULL, 0);
	const char *shell = isatty(STDIN_FILENO) ? getenv("SHELL") : NULL, *term = getenv("TERM");

	value_set_string(m, "host", host);
	value_set_string(m, "shell", shell ? shell : "/bin/sh");
	value_set_string(m, "term", term ? term : "dumb");
	value_set(m, "cwd", json_bytes(cwd ? cwd : "/"));
	tty_add_size(m);
	peer_say(&j->run, m);
}

static void on_answers(struct watch *answers, uint32_t events)
{
	struct joined *j = OWNER_OF(answers, struct joined, answers);
	struct value *line;

	peer_act(&j->run, (short)events);
	for (; !j->over && (line = peer_next(&j->run)); value_free(line))
		hear_line(j, line);
}

static void on_signal(struct watch *signal, uint32_t events)
{
	struct joined *j = OWNER_OF(signal, struct joined, signal);

	(void)events;
	j->over |= signals_take(&j->signals);
}

static void run_joined(struct joined *j)
{
	vbm_loop_init_plain(&j->loop);
	watch_add(&j->loop, &j->answers, -1, 0, on_answers);
	watch_add(&j->loop, &j->typed, STDIN_FILENO, 0, on_typed);
	watch_add(&j->loop, &j->size, j->tty.winch_fd, POLLIN, on_size);
	watch_add(&j->loop, &j->signal, j->signals.fd, POLLIN, on_signal);
	while (!j->over && !j->run.gone) {
		watch_for(&j->answers, peer_wants(&j->run));
		vbm_loop_modify(&j->loop, &j->typed,
				j->begun && !j->eof && !j->under_way ? POLLIN : 0);
		vbm_loop_run(&j->loop, -1);
	}
	vbm_loop_fini(&j->loop);
}

/*
 * A run that was just started has no socket yet, and the kernel does not announce
 * sockets, so look again and again. If its process is gone, stop.
 */
static int find_soon(pid_t run, struct vbm_error *err)
{
	int64_t deadline = clock_deadline_ms(BEGIN_MS);
	auto_close int pidfd = run ? pidfd_open(run, 0) : -1;
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	int fd;

	do {
		fd = meeting_find(run, err);
	} while (fd == -ENOENT && pidfd >= 0 && clock_left_ms(deadline) > 0 &&
		 poll(&p, 1, CHECK_MS) == 0);
	return fd;
}

int join_run(pid_t run, const char *host, const struct exec_statuses *statuses)
{
	struct joined j = {.tty = TTY_NONE, .signals = {.fd = -1}, .end = EXEC_END_FAILED};
	struct vbm_error err = {0};

	j.run.fd = find_soon(run, &err);
	if (j.run.fd < 0 || signals_open(&j.signals, &err) < 0) {
		visible_complain("%s", err.msg);
		return exec_status_of(statuses, EXEC_END_ARGUMENTS, 0);
	}
	fcntl(j.run.fd, F_SETFL, O_NONBLOCK);
	request(&j, host);
	tty_watch(&j.tty);
	run_joined(&j);
	tty_restore(&j.tty);
	if (!j.over)
		visible_complain("the run has ended");
	peer_fini(&j.run);
	signals_close(&j.signals);
	return shell_status(statuses, j.end, host, j.status);
}
