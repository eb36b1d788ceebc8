/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd.h"
#include "fail.h"
#include "front/exec-input.h"
#include "front/exec-output.h"
#include "front/exec-place.h"
#include "front/exec-trouble.h"
#include "event/event.h"

struct exec {
	const struct exec_options *opts;
	struct place place;
	struct exec_input input;
	struct exec_output output;
	struct text (*pending)[2];	/* owned; begun lines by command and stream */
	size_t ended;
	int status;			/* of the first that failed */
	bool has_fabric;
	bool no_place;			/* the runner gave up: nothing can be said of the commands */
	bool interrupted;
	bool kernel_complained;
	bool write_failed;
};

static void write_out(struct exec *x, int stream, const char *s, size_t n)
{
	FILE *f = stream == 1 ? stdout : stderr;

	if (fwrite(s, 1, n, f) != n || fflush(f) != 0)
		x->write_failed = true;
}

static void flush_line(struct exec *x, size_t command, int stream)
{
	struct text *line = &x->pending[command][stream - 1];
	struct text out auto_text = {0};

	if (!line->len)
		return;
	text_addf(&out, "%s| ", x->opts->commands[command].host);
	text_add_bytes(&out, line->s, line->len);
	if (line->s[line->len - 1] != '\n')
		text_add(&out, "\n");
	write_out(x, stream, out.s, out.len);
	text_clear(line);
}

/* Bytes as they are from a single command; whole lines with a name from more. */
static void show(struct exec *x, size_t command, int stream, const char *data, size_t len)
{
	const char *nl;
	size_t n;

	if (x->opts->count == 1) {
		write_out(x, stream, data, len);
		return;
	}
	while (len) {
		nl = memchr(data, '\n', len);
		n = nl ? (size_t)(nl - data) + 1 : len;
		text_add_bytes(&x->pending[command][stream - 1], data, n);
		if (nl)
			flush_line(x, command, stream);
		data += n;
		len -= n;
	}
}

static int on_output(struct exec *x, const struct value *event, struct vbm_error *err)
{
	int64_t command = value_get_int(event, "command", -1);
	int64_t stream = value_get_int(event, "stream", 0);
	auto_free char *data = NULL;
	size_t len = 0;

	data = base64_decode(value_get_string(event, "data", ""), &len);
	if (!data || command < 0 || command >= (int64_t)x->opts->count ||
	    (stream != 1 && stream != 2))
		return vbm_fail(err, EPROTO, "the runner's output event makes no sense");
	show(x, (size_t)command, (int)stream, data, len);
	return exec_output_write(&x->output, x->opts, (size_t)command, (int)stream, data, len, err);
}

static int on_exit_event(struct exec *x, const struct value *event, struct vbm_error *err)
{
	int64_t command = value_get_int(event, "command", -1);
	int64_t status = value_get_int(event, "status", -1);

	if (command < 0 || command >= (int64_t)x->opts->count || status < 0 || status > 255)
		return vbm_fail(err, EPROTO, "the runner's exit event makes no sense");
	flush_line(x, (size_t)command, 1);
	flush_line(x, (size_t)command, 2);
	x->ended++;
	exec_output_status(&x->output, (size_t)command, (int)status);
	/* That a service ends when it is told to is no failure. */
	if (x->opts->commands[command].service && value_get_bool(event, "told", false))
		return 0;
	if (status == 0 || x->status)
		return 0;
	x->status = (int)status;
	if (x->opts->count > 1)
		fprintf(stderr, "verbatim: the %s on %s ended with status %d\n",
			x->opts->commands[command].service ? "service" : "command",
			x->opts->commands[command].host, x->status);
	return 0;
}

/* With a fabric, commands may be silent for as long as they are allowed to run. */
static void on_fabric(struct exec *x, struct worker *w)
{
	int factor = worker_lane(w)->factor;

	x->has_fabric = true;
	place_quiet(&x->place);
	worker_allow_silence(w, x->opts->timeout_s ?
				x->opts->timeout_s * 1000 / factor + WORKER_SILENCE_MS : -1);
}

static void on_stuck(struct exec *x, const struct value *event)
{
	const char *text = value_get_string(event, "text", "");

	exec_output_note(&x->output, "stuck.txt", text);
	if (strcmp(value_get_string(event, "why", ""), "timeout") == 0) {
		x->status = EXEC_TIMED_OUT;
		fprintf(stderr, "verbatim: not at the end after %d s\n%s", x->opts->timeout_s, text);
	} else {
		fputs(text, stderr);
	}
}

static void on_kernel(struct exec *x, const struct value *event)
{
	auto_free char *line = xasprintf("%s\n", value_get_string(event, "text", ""));

	x->kernel_complained |= value_get_bool(event, "bad", false);
	exec_output_note(&x->output, "kernel.txt", line);
	fprintf(stderr, "verbatim: kernel: %s", line);
}

static int on_event(void *arg, struct worker *w, struct value *event, struct vbm_error *err)
{
	struct exec *x = arg;

	if (event_is(event, "output"))
		return on_output(x, event, err);
	if (event_is(event, "exit"))
		return on_exit_event(x, event, err);
	if (event_is(event, "taken"))
		x->input.under_way = false;
	if (event_is(event, "fabric"))
		on_fabric(x, w);
	if (event_is(event, "counters"))
		exec_output_counters(&x->output, event);
	if (event_is(event, "stuck"))
		on_stuck(x, event);
	if (event_is(event, "kernel"))
		on_kernel(x, event);
	if (event_is(event, "error")) {
		x->no_place = true;
		return vbm_fail(err, ENODEV, "%s", value_get_string(event, "text", "no fabric"));
	}
	return 0;
}

/* Ask what still runs, and have it ended; a second signal ends all at once. */
static int on_interrupt(void *arg, struct worker *const *workers, const char *why,
			struct vbm_error *err)
{
	auto_value struct value *stop = value_map();
	struct exec *x = arg;

	if (!x->has_fabric || x->interrupted)
		return vbm_fail(err, EINTR, "%s", why);
	x->interrupted = true;
	fprintf(stderr, "verbatim: %s\n", why);
	value_set_string(stop, "stop", "interrupted");
	worker_allow_silence(workers[0], WORKER_SILENCE_MS);
	worker_send(workers[0], stop);
	return 0;
}

static int on_lost(void *arg, struct worker *w, enum worker_news news, const char *why,
		   struct vbm_error *err)
{
	struct exec *x = arg;
	int lines = (int)strlen(why);

	place_quiet(&x->place);
	if (x->has_fabric && exec_keep_console(worker_lane(w), true))
		lines = (int)strcspn(why, "\n");	/* the rest was just shown */
	if (x->has_fabric && news == WORKER_SILENT && x->opts->timeout_s)
		x->status = EXEC_TIMED_OUT;
	return vbm_fail(err, EIO, "%.*s", lines, why);
}

static size_t wants(void *arg, struct pollfd *p)
{
	const struct exec *x = arg;

	return x->has_fabric || !x->input.wanted ? exec_input_wants(&x->input, p) : 0;
}

static int on_input(void *arg, const struct pollfd *p, struct vbm_error *err)
{
	struct exec *x = arg;

	(void)p;
	return exec_input_act(&x->input, x->place.worker, err);
}

/* The command that gets standard input: the first on its host that is no service. */
static size_t fed_command(const struct exec_options *opts)
{
	size_t i;

	for (i = 0; opts->input && i < opts->count; i++)
		if (!opts->commands[i].service && !strcmp(opts->commands[i].host, opts->input))
			return i;
	return opts->count;
}

static struct value *make_job(const struct exec_options *opts)
{
	struct value *job = place_job("exec", opts), *list = value_list(), *row;
	const struct exec_command *c;
	size_t i;

	for (i = 0; i < opts->count; i++) {
		c = &opts->commands[i];
		row = value_map();
		value_set_string(row, "host", c->host);
		value_set(row, "command", json_bytes(c->text));
		if (c->ready)
			value_set(row, "ready", json_bytes(c->ready));
		if (c->ready_line)
			value_set(row, "ready_line", json_bytes(c->ready_line));
		value_set_bool(row, "service", c->service);
		value_set_bool(row, "fed", i == fed_command(opts));
		value_append(list, row);
	}
	value_set(job, "commands", list);
	value_set_int(job, "hosts", opts->hosts ? opts->hosts : 2);
	value_set_int(job, "timeout_ms", (int64_t)opts->timeout_s * 1000);
	/* Their output is a terminal there, but for colours only when it is one here. */
	if (!isatty(STDOUT_FILENO))
		value_set_string(value_get(job, "env"), "TERM", "dumb");
	return job;
}

static int on_ready(void *arg, struct worker *w, struct vbm_error *err)
{
	struct exec *x = arg;
	auto_value struct value *job = make_job(x->opts);

	(void)err;
	place_progress("making the hosts", &x->place);
	worker_send_job(w, job);
	return 0;
}

static const struct follow_ops exec_ops = {
	.ready = on_ready,
	.event = on_event,
	.lost = on_lost,
	.interrupted = on_interrupt,
	.wants = wants,
	.input = on_input,
};

static int run_there(struct exec *x, struct vbm_error *err)
{
	int rc = place_follow(&x->place, &exec_ops, x, err);
	size_t i;

	for (i = 0; i < x->opts->count; i++) {
		flush_line(x, i, 1);
		flush_line(x, i, 2);
	}
	if (rc == 0 && x->write_failed)
		return vbm_fail(err, EIO, "the commands' output could not be written");
	if (rc == 0 && x->kernel_complained) {
		exec_keep_console(worker_lane(x->place.worker), false);
		x->status = x->status ? x->status : EXIT_FAILED;
	}
	if (rc == 0 && x->ended < x->opts->count && !x->status && !x->interrupted)
		return vbm_fail(err, EPROTO, "the runner ended before the commands did");
	return rc;
}

static int status_of(const struct exec *x, int rc)
{
	if (rc == -EINVAL)
		return EXIT_USAGE;
	if (rc == 0 || x->status)
		return x->status;
	return x->has_fabric && !x->no_place ? EXIT_FAILED : EXIT_NO_FABRIC;
}

int exec_run(const struct exec_options *opts)
{
	struct exec x = {.opts = opts, .output.dir_fd = -1};
	struct vbm_error err = {0};
	int rc, status = EXIT_USAGE;
	size_t i;

	x.pending = xcalloc(opts->count, sizeof(*x.pending));
	x.place = (struct place)PLACE_NONE;
	rc = exec_input_begin(&x.input, opts->input, &err);
	if (rc == 0)
		rc = exec_output_open(&x.output, opts->output, opts, &err);
	if (rc == 0)
		rc = place_open(&x.place, opts, false, &status, &err);
	if (rc == 0) {
		rc = run_there(&x, &err);
		status = status_of(&x, rc);
	}
	if (rc < 0)
		fprintf(stderr, "verbatim: %s\n", err.msg);
	for (i = 0; i < opts->count; i++) {
		text_fini(&x.pending[i][0]);
		text_fini(&x.pending[i][1]);
	}
	free(x.pending);
	exec_output_close(&x.output, opts);
	place_close(&x.place);
	return status;
}
