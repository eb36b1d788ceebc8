/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/value.h"
#include "base/visible.h"
#include "names/exit-status.h"
#include "event/read.h"
#include "worker/lane-choice.h"
#include "lib/base/fail.h"
#include "process/pump.h"
#include "session/exec-place.h"
#include "session/exec.h"
#include "session/meeting.h"
#include "session/tty.h"

#define DRAIN_MS 3000		/* for the shell's last output */

struct shell {
	const char *host;
	const struct exec_options *opts;
	struct place place;
	struct pump in, out;	/* typed input, and output */
	struct worker_input typed, shown, size, met;
	struct tty tty;
	bool has_fabric, eof_sent;
	bool ended;		/* by itself, with @status */
	int status;
};

static void tell_size(struct shell *s)
{
	auto_value struct value *size = value_map();

	tty_take_winch(&s->tty);
	tty_add_size(size);
	if (!size->map.count)
		return;
	worker_send(s->place.worker, size);
}

/* Gives the terminal to the shell. */
static void begin_shell(struct shell *s)
{
	int fd = worker_lane(s->place.worker)->terminal_fd;

	s->has_fabric = true;
	/* The user may be silent for ever. */
	worker_allow_silence(s->place.worker, -1);
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
	pump_init(&s->in, STDIN_FILENO, fd);
	pump_init(&s->out, fd, STDOUT_FILENO);
	tty_make_raw(&s->tty);
	meeting_begin(s->place.meeting, s->place.worker);
}

static int on_event(void *arg, struct worker *w, struct value *event, struct vbm_error *err)
{
	struct shell *s = arg;

	(void)w;
	place_event(&s->place, event);
	if (event_is(event, "fabric"))
		begin_shell(s);
	if (event_is(event, "terminal"))
		meeting_event(s->place.meeting, event);
	if (event_is(event, "exit")) {
		s->ended = true;
		s->status = (int)event_integer(event, "status");
	}
	if (event_is(event, "error"))
		return vbm_fail(err, ENODEV, "%s", event_string(event, "text"));
	return 0;
}

static void wait_for(void *arg, struct worker_wait *on)
{
	struct shell *s = arg;

	if (!s->has_fabric)
		return;
	worker_input_for(on, &s->typed, pump_wants(&s->in));
	worker_input_for(on, &s->shown, pump_wants(&s->out));
	worker_input_for(on, &s->size, (struct pollfd){.fd = s->tty.winch_fd, .events = POLLIN});
	worker_input_for(on, &s->met, meeting_wants(s->place.meeting));
}

static int on_input(void *arg, struct vbm_error *err)
{
	struct shell *s = arg;

	if (worker_input_take(&s->typed))
		pump_run(&s->in);
	if (worker_input_take(&s->shown))
		pump_run(&s->out);
	/* Twice, because the first only ends an incomplete line. */
	if (s->in.eof && !s->eof_sent) {
		pump_insert(&s->in, "\004\004", 2);
		s->eof_sent = true;
	}
	if (s->out.error)
		return vbm_fail(err, -s->out.error, "cannot write to the terminal: %s",
				strerror(-s->out.error));
	if (worker_input_take(&s->size))
		tell_size(s);
	if (worker_input_take(&s->met))
		meeting_act(s->place.meeting);
	return 0;
}

/* Reads the last output: the shell's end comes by another channel, and can come first. */
static void drain_terminal(struct shell *s)
{
	int64_t deadline = clock_deadline_ms(DRAIN_MS);
	struct pollfd p;

	while (s->has_fabric && !pump_done(&s->out)) {
		p = pump_wants(&s->out);
		if (poll(&p, 1, clock_left_ms(deadline)) <= 0)
			return;
		pump_run(&s->out);
	}
}

/* Without a terminal here no user edits lines, so sh reads the input. */
static struct value *make_job(const struct shell *s)
{
	struct value *job = place_job("shell", s->opts);

	value_set_string(job, "host", s->host);
	tty_add_size(job);
	if (!isatty(STDIN_FILENO))
		value_set_string(value_get(job, "env"), "SHELL", "/bin/sh");
	return job;
}

static int on_ready(void *arg, struct worker *w, struct vbm_error *err)
{
	struct shell *s = arg;
	auto_value struct value *job = make_job(s);

	(void)err;
	if (s->opts->machines)
		worker_allow_silence(w, WORKER_SILENCE_MS + MACHINES_CONNECT_MS);
	place_put_target(&s->place, job);
	place_quiet(&s->place);
	worker_send_job(w, job);
	return 0;
}

static const struct follow_ops shell_ops = {
	.ready = on_ready,
	.event = on_event,
	.wait_for = wait_for,
	.input = on_input,
};

static int run_there(struct shell *s, struct vbm_error *err)
{
	int rc;

	tty_watch(&s->tty);
	rc = place_follow(&s->place, &shell_ops, s, err);
	if (rc == 0)
		drain_terminal(s);
	tty_restore(&s->tty);
	return rc;
}

int shell_status(const struct exec_statuses *s, enum exec_end end, const char *host, int own)
{
	if (end == EXEC_END_COMMAND && own == 0)
		return EXIT_OK;
	if (end == EXEC_END_COMMAND)
		visible_complain("the shell on %s ended with status %d", host, own);
	return exec_status_of(s, end, own);
}

static enum exec_end end_of(const struct shell *s, int rc)
{
	if (rc < 0 && !s->has_fabric && rc != -EPIPE)
		return EXEC_END_PLACE;
	return rc == 0 && s->ended ? EXEC_END_COMMAND : EXEC_END_FAILED;
}

int shell_run(const char *host, const struct exec_options *opts)
{
	struct shell s = {.host = host, .opts = opts, .tty = TTY_NONE};
	struct vbm_error err = {0};
	enum exec_end end = EXEC_END_ARGUMENTS;
	int rc, status;

	rc = place_open(&s.place, opts, true, &status, &err);
	if (rc < 0 && status != EXIT_USAGE)
		end = EXEC_END_PLACE;
	if (rc == 0) {
		rc = run_there(&s, &err);
		end = end_of(&s, rc);
	}
	if (rc < 0)
		visible_complain("%s%s", exec_end_intro(end, rc), err.msg);
	status = shell_status(&opts->statuses, end, host, s.status);
	place_close(&s.place);
	return status;
}
