/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd.h"
#include "fail.h"
#include "front/exec-place.h"
#include "event/event.h"

struct exec {
	const struct exec_options *opts;
	struct place place;
	struct text (*pending)[2];	/* owned; begun lines by command and stream */
	size_t ended;
	int status;			/* of the first that failed */
	bool has_fabric;
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
	return 0;
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
	if (status == 0 || x->status)
		return 0;
	x->status = (int)status;
	if (x->opts->count > 1)
		fprintf(stderr, "verbatim: the command on %s ended with status %d\n",
			x->opts->commands[command].host, x->status);
	return 0;
}

/* With a fabric, commands may be silent for as long as they like. */
static void on_fabric(struct exec *x, struct worker *w)
{
	x->has_fabric = true;
	worker_allow_silence(w, -1);
}

static int on_event(void *arg, struct worker *w, struct value *event, struct vbm_error *err)
{
	struct exec *x = arg;

	if (event_is(event, "output"))
		return on_output(x, event, err);
	if (event_is(event, "exit"))
		return on_exit_event(x, event, err);
	if (event_is(event, "fabric"))
		on_fabric(x, w);
	if (event_is(event, "kernel"))
		fprintf(stderr, "verbatim: kernel: %s\n", value_get_string(event, "text", ""));
	if (event_is(event, "error"))
		return vbm_fail(err, ENODEV, "%s", value_get_string(event, "text", "no fabric"));
	return 0;
}

static struct value *make_job(const struct exec_options *opts)
{
	struct value *job = place_job("exec", opts), *list = value_list(), *row;
	size_t i;

	for (i = 0; i < opts->count; i++) {
		row = value_map();
		value_set_string(row, "host", opts->commands[i].host);
		value_set(row, "command", json_bytes(opts->commands[i].text));
		value_append(list, row);
	}
	value_set(job, "commands", list);
	return job;
}

static int on_ready(void *arg, struct worker *w, struct vbm_error *err)
{
	struct exec *x = arg;
	auto_value struct value *job = make_job(x->opts);

	(void)err;
	place_quiet(&x->place);
	worker_send_job(w, job);
	return 0;
}

static const struct follow_ops exec_ops = {.ready = on_ready, .event = on_event};

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
	if (rc == 0 && x->ended < x->opts->count && !x->status)
		return vbm_fail(err, EPROTO, "the runner ended before the commands did");
	return rc;
}

int exec_run(const struct exec_options *opts)
{
	struct exec x = {.opts = opts};
	struct vbm_error err = {0};
	int rc, status;
	size_t i;

	x.pending = xcalloc(opts->count, sizeof(*x.pending));
	rc = place_open(&x.place, opts, false, &status, &err);
	if (rc == 0) {
		rc = run_there(&x, &err);
		status = rc == 0 ? x.status : x.has_fabric ? EXIT_FAILED : EXIT_NO_FABRIC;
	}
	if (rc < 0)
		fprintf(stderr, "verbatim: %s\n", err.msg);
	for (i = 0; i < opts->count; i++) {
		text_fini(&x.pending[i][0]);
		text_fini(&x.pending[i][1]);
	}
	free(x.pending);
	place_close(&x.place);
	return status;
}
