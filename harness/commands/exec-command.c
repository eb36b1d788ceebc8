/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "commands/exec-job.h"
#include "fabric/fabric.h"
#include "job/job.h"
#include "lib/base/fail.h"
#include "program/spawn.h"
#include "program/terminal.h"

#define GRACE_MS 2000	/* from SIGTERM to SIGKILL */
#define CHUNK 32768
#define DRAIN_MAX (1024 * 1024)

static int open_pipe(int *ours, int *theirs, bool reads, struct vbm_error *err)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "cannot make a pipe: %s", strerror(errno));
	*ours = p[!reads];
	*theirs = p[reads];
	fcntl(*ours, F_SETFL, O_NONBLOCK);
	return 0;
}

int command_start(struct exec *x, struct command *c, struct vbm_error *err)
{
	auto_close int in = -1, out = -1, errors = -1;
	int rc = terminal_open_raw(&c->out[0], &out, err);

	if (rc == 0)
		rc = open_pipe(&c->out[1], &errors, true, err);
	if (rc == 0 && c->fed)
		rc = open_pipe(&c->in, &in, false, err);
	if (rc == 0)
		rc = exec_spawn(x, c->number, c->text,
				(const int[]){c->fed ? in : x->null_fd, out, errors}, &c->pid,
				&c->pidfd, err);
	if (rc == 0)
		ready_begin(&c->ready);
	return rc;
}

/* False at its end. */
static bool pass_on(struct exec *x, struct command *c, int which)
{
	char buf[CHUNK];
	auto_free char *text = NULL;
	struct value *event;
	ssize_t n = read(c->out[which], buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	/* A terminal that nobody holds any more says EIO. */
	if (n <= 0) {
		close(steal_fd(&c->out[which]));
		return false;
	}
	ready_hear(&c->ready, which, buf, (size_t)n);
	text = base64_encode(buf, (size_t)n);
	event = emit_new(x->job->emit, "output");
	value_set_string(event, "host", c->host);
	value_set_int(event, "stream", which + 1);
	value_set_string(event, "data", text);
	value_set_int(event, "command", c - x->cmd);
	emit_take(x->job->emit, event);
	return true;
}

/* What it still has in its pipes belongs to it; then nobody may hold them. */
static void drain(struct exec *x, struct command *c)
{
	struct pollfd p;
	size_t got;
	int which;

	for (which = 0; which < 2; which++) {
		p = (struct pollfd){.fd = c->out[which], .events = POLLIN};
		for (got = 0; got < DRAIN_MAX && poll(&p, 1, 0) > 0; got += CHUNK)
			if (!pass_on(x, c, which))
				break;
		if (c->out[which] >= 0)
			close(steal_fd(&c->out[which]));
	}
}

static void ended(struct exec *x, struct command *c)
{
	int status = spawn_reap(c->pid);
	struct value *event;

	close(steal_fd(&c->pidfd));
	drain(x, c);
	event = emit_new(x->job->emit, "exit");
	value_set_string(event, "host", c->host);
	value_set_int(event, "status", status);
	value_set_int(event, "command", c - x->cmd);
	value_set_bool(event, "told", c->told);
	emit_take(x->job->emit, event);
	if (status != 0 && !(c->service && c->told))
		x->stopping = true;
}

/* A command that closes its standard input loses what is left of it. */
static void write_input(struct command *c)
{
	ssize_t n = c->input.len ? write(c->in, c->input.s, c->input.len) : 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		memmove(c->input.s, c->input.s + n, c->input.len - (size_t)n);
		c->input.len -= (size_t)n;
	}
	if (n < 0 || (!c->input.len && c->input_ended)) {
		text_clear(&c->input);
		close(steal_fd(&c->in));
	}
}

void command_feed(struct command *c, const char *data, size_t len)
{
	if (c->in >= 0 || c->pid == 0)
		text_add_bytes(&c->input, data, len);
}

void command_end_input(struct command *c)
{
	c->input_ended = true;
	if (c->in >= 0 && !c->input.len)
		close(steal_fd(&c->in));
}

void command_wants(const struct command *c, struct pollfd *p)
{
	bool writes = c->input.len || c->input_ended;

	p[SLOT_OUT] = (struct pollfd){.fd = c->out[0], .events = POLLIN};
	p[SLOT_ERR] = (struct pollfd){.fd = c->out[1], .events = POLLIN};
	p[SLOT_END] = (struct pollfd){.fd = c->pidfd, .events = POLLIN};
	p[SLOT_IN] = (struct pollfd){.fd = writes ? c->in : -1, .events = POLLOUT};
	p[SLOT_PROBE] = (struct pollfd){.fd = c->ready.probe_pidfd, .events = POLLIN};
}

void command_act(struct exec *x, struct command *c, const struct pollfd *p)
{
	int which;

	for (which = 0; which < 2; which++)
		if (p[which].revents && c->out[which] >= 0)
			pass_on(x, c, which);
	if (p[SLOT_IN].revents && c->in >= 0)
		write_input(c);
	if (p[SLOT_PROBE].revents)
		ready_probe_ended(&c->ready);
	if (p[SLOT_END].revents)
		ended(x, c);
}

void command_stop(struct command *c)
{
	if (!command_runs(c) || c->told)
		return;
	c->told = true;
	c->kill_ns = clock_deadline_ms(GRACE_MS);
	spawn_signal(c->pid, SIGTERM);
}

void command_check_kill(struct command *c)
{
	if (!command_runs(c) || !c->told || c->killed || clock_now_ns() < c->kill_ns)
		return;
	c->killed = true;
	spawn_signal(c->pid, SIGKILL);
}

void command_fini(struct command *c)
{
	int *fds[] = {&c->out[0], &c->out[1], &c->in};
	size_t i;

	ready_fini(&c->ready);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
	text_fini(&c->input);
	free(c->text);
}
