/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "job-exec/commands.h"
#include "job-exec/exec-job.h"
#include "job/job.h"
#include "program/spawn.h"

int command_start(struct exec *x, struct command *c, struct vbm_error *err)
{
	auto_close int in = -1, out = -1, errors = -1;
	int rc = spawn_terminal_raw(&c->output.out[0].fd, &out, err);

	if (rc == 0)
		rc = spawn_pipe(&c->output.out[1].fd, &errors, true, err);
	if (rc == 0 && c->fed)
		rc = spawn_pipe(&c->in.fd, &in, false, err);
	if (rc == 0)
		rc = exec_start(x, c->number, c->text, (const int[]){c->fed ? in : -1, out, errors}, &c->run, &c->end.fd, err);
	if (rc == 0)
		ready_begin(&c->ready);
	return rc;
}

static void pass_on(struct command_output *o, int which, const char *bytes, size_t n)
{
	struct command *c = OWNER_OF(o, struct command, output);
	struct exec *x = c->exec;
	auto_free char *text = base64_encode(bytes, n);
	struct value *event;

	ready_hear(&c->ready, which, bytes, n);
	if (!x->far)
		memory_hear(&c->memory, bytes, n);
	event = emit_new(x->job->emit, "output");
	value_set_string(event, "host", c->host);
	value_set_int(event, "stream", which + 1);
	value_set_string(event, "data", text);
	value_set_int(event, "command", c - x->cmd);
	emit_take(x->job->emit, event);
}

static void close_output(struct command *c)
{
	watch_close(&c->output.out[0]);
	watch_close(&c->output.out[1]);
}

static void on_end(struct watch *end, uint32_t events)
{
	struct command *c = OWNER_OF(end, struct command, end);
	struct exec *x = c->exec;
	int status = running_reap(&c->run);
	struct value *event;

	(void)events;
	watch_close(end);
	vbm_timer_disarm(&c->kill);
	command_output_drain(&c->output);
	close_output(c);
	if (status == 128 + SIGKILL && x->log) {
		kernel_log_hear(x->log, x->job);
		if (kernel_log_oom(x->log))
			memory_killed(&c->memory);
	}
	event = emit_new(x->job->emit, "exit");
	value_set_string(event, "host", c->host);
	value_set_int(event, "status", status);
	value_set_int(event, "command", c - x->cmd);
	value_set_bool(event, "told", c->told);
	memory_put(&c->memory, event);
	emit_take(x->job->emit, event);
	if (status == 0 || (c->service && c->told))
		return;
	/* The others still run, so their objects are open. */
	if (!x->stopping && !c->told)
		stuck_report(x, "failed");
	x->stopping = true;
}

/* Writes input; if the command has closed its standard input, the rest is lost. */
static void write_input(struct command *c)
{
	ssize_t n = c->input.len ? write(c->in.fd, c->input.s, c->input.len) : 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		text_keep_end(&c->input, c->input.len - (size_t)n);
	if (n < 0 || (!c->input.len && c->input_ended)) {
		text_clear(&c->input);
		watch_close(&c->in);
	}
}

void command_feed(struct command *c, const char *data, size_t len)
{
	if (c->in.fd >= 0 || !c->run.fabric)
		text_add_bytes(&c->input, data, len);
}

void command_end_input(struct command *c)
{
	c->input_ended = true;
	if (c->in.fd >= 0 && !c->input.len)
		watch_close(&c->in);
}

/* The front end sends more once a command has what was sent. */
static void on_room(struct watch *in, uint32_t events)
{
	struct command *c = OWNER_OF(in, struct command, in);
	size_t before = c->input.len;
	struct value *event;

	(void)events;
	write_input(c);
	if (!before || c->input.len)
		return;
	event = emit_new(c->exec->job->emit, "taken");
	value_set_string(event, "host", c->host);
	emit_take(c->exec->job->emit, event);
}

static void on_probe_end(struct watch *probe_end, uint32_t events)
{
	(void)events;
	ready_probe_ended(OWNER_OF(probe_end, struct readiness, probe_end));
}

static void kill_now(struct timer *kill)
{
	running_signal(&OWNER_OF(kill, struct command, kill)->run, SIGKILL);
}

/* The output is added before the end, so the loop handles it first. */
void command_init(struct command *c, struct exec *x)
{
	c->exec = x;
	c->kill.fire = kill_now;
	c->output = (struct command_output){.out[0].fd = -1, .out[1].fd = -1, .take = pass_on};
	command_output_watch(&c->output, &x->loop);
	watch_add(&x->loop, &c->in, -1, 0, on_room);
	watch_add(&x->loop, &c->ready.probe_end, -1, POLLIN, on_probe_end);
	watch_add(&x->loop, &c->end, -1, POLLIN, on_end);
}

void command_wait_for(struct command *c)
{
	vbm_watch_set(&c->in, c->in.fd, c->input.len || c->input_ended ? POLLOUT : 0);
}

void command_stop(struct command *c)
{
	if (!command_runs(c) || c->told)
		return;
	c->told = true;
	vbm_timer_arm(&c->exec->loop, &c->kill, clock_deadline_ms(COMMANDS_GRACE_MS));
	running_signal(&c->run, SIGTERM);
}

void command_fini(struct command *c)
{
	ready_fini(&c->ready);
	text_fini(&c->memory.tail);
	close_output(c);
	watch_close(&c->in);
	text_fini(&c->input);
	free(c->text);
}
