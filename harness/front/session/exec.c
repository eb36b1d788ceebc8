/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/out.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "names/exit-status.h"
#include "event/read.h"
#include "worker/lane-choice.h"
#include "lib/base/fail.h"
#include "names/rdma-core.h"
#include "session/exec-place.h"
#include "session/exec-report.h"
#include "session/meeting.h"

struct session_exec {
	const struct exec_options *opts;
	struct place place;
	struct exec_input input;
	struct worker_input typed, met;	/* standard input, and those who join */
	struct exec_output output;
	struct text (*pending)[2];	/* owned; incomplete lines, by command and stream */
	struct exec_hint *hint;		/* owned; by command */
	size_t failed;			/* the first command that failed, or the number of commands */
	size_t ended;			/* commands that are no services */
	int status;			/* of the first command that failed */
	bool timed_out;
	bool not_ready;			/* a command did not become ready */
	struct exec_wire wire;
	struct exec_report report;
	char *capture_error;		/* owned; or NULL */
	struct value *rule_lines;	/* owned; for the job; or NULL */
	struct text rules;		/* owned; a line for each rule for packets, and what it did */
	int died, died_of;		/* the first command that a signal of a crash ended; or -1 */
	bool has_fabric;
	bool no_place;			/* the runner gave up, so nothing is known about the commands */
	bool interrupted;
	bool kernel_complained;
	int write_error;		/* errno of the first output that could not be written; 0: none */
};

static void write_out(struct session_exec *x, int stream, const char *s, size_t n)
{
	/* A report of --format has standard output for itself. */
	FILE *f = stream == 1 && !x->opts->format ? stdout : stderr;

	errno = 0;
	if ((fwrite(s, 1, n, f) != n || fflush(f) != 0) && !x->write_error)
		x->write_error = f == stdout ? out_error() : errno ? errno : EIO;
}

static void flush_line(struct session_exec *x, size_t command, int stream)
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

/*
 * Shows the bytes of a single command unchanged; with more commands, whole lines after
 * the host's name.
 */
static void show_output(struct session_exec *x, size_t command, int stream, const char *data, size_t len)
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

static int on_output(struct session_exec *x, const struct value *event, struct vbm_error *err)
{
	int64_t command = event_integer(event, "command");
	int64_t stream = event_integer(event, "stream");
	auto_free char *data = NULL;
	size_t len = 0;

	data = base64_decode(event_string(event, "data"), &len);
	if (!data || command < 0 || command >= (int64_t)x->opts->count ||
	    (stream != 1 && stream != 2))
		return vbm_fail(err, EPROTO, "the runner sent an invalid output event");
	exec_hint_hear(&x->hint[command], data, len);
	exec_report_output(&x->report, (size_t)command, data, len);
	show_output(x, (size_t)command, (int)stream, data, len);
	return exec_output_write(&x->output, x->opts, (size_t)command, (int)stream, data, len, err);
}

/* A command that failed had said that it got no memory. */
static void hint_memory(const struct session_exec *x, const struct value *event, int64_t status)
{
	int64_t all = event_integer_or(event, "memory_mb", 0);

	/* The memory of this machine has no option. */
	if (!status || !all || !worker_lane(x->place.worker)->lanes->ops->advance)
		return;
	visible_complain("the command on %s got no memory when %lld of the hosts' %lld MB were in use; "
			 "--memory MB gives them more, unless a limit of the device or a full queue is "
			 "the cause (verbatim explain ENOMEM)", event_string(event, "host"),
			 (long long)event_integer_or(event, "memory_used_mb", 0), (long long)all);
}

static int on_exit_event(struct session_exec *x, const struct value *event, struct vbm_error *err)
{
	int64_t command = event_integer_or(event, "command", -1);
	int64_t status = event_integer(event, "status");
	bool told = event_flag_or(event, "told", false);

	if (command < 0 || command >= (int64_t)x->opts->count || status < 0 || status > 255)
		return vbm_fail(err, EPROTO, "the runner sent an invalid exit event");
	flush_line(x, (size_t)command, 1);
	flush_line(x, (size_t)command, 2);
	x->ended += !x->opts->commands[command].service;
	exec_output_status(&x->output, (size_t)command, (int)status);
	exec_report_exit(&x->report, (size_t)command, (int)status, status == 0 || told);
	if (x->died < 0 && exec_core_signal((int)status)) {
		x->died = (int)command;
		x->died_of = (int)status;
	}
	/* A service that was told to end has not failed. */
	if (x->opts->commands[command].service && told)
		return 0;
	hint_memory(x, event, status);
	/* It ended because this run does. */
	if (status == 0 || x->status || x->timed_out || x->interrupted)
		return 0;
	x->status = (int)status;
	x->failed = (size_t)command;
	/* Always: the status alone could be one of verbatim's own. */
	visible_complain("the %s on %s ended with status %d",
		 x->opts->commands[command].service ? "service" : "command",
		 x->opts->commands[command].host, x->status);
	return 0;
}

/* When there is a fabric, the commands run, and may be silent for as long as they may run. */
static void on_fabric(struct session_exec *x, struct worker *w)
{
	int factor = worker_lane(w)->factor;

	x->has_fabric = true;
	place_quiet(&x->place);
	if (isatty(STDERR_FILENO) && !x->opts->machines)
		visible_complain("run %d ('verbatim shell --join %d HOST' opens a terminal in it)",
			 getpid(), getpid());
	meeting_begin(x->place.meeting, w);
	worker_allow_silence(w, x->opts->timeout_s ?
				x->opts->timeout_s * 1000 / factor + WORKER_SILENCE_MS : -1);
}

static void on_stuck(struct session_exec *x, const struct value *event)
{
	const char *text = event_string(event, "text");
	auto_free char *hint = NULL;

	exec_output_note(&x->output, "stuck.txt", text);
	if (strcmp(event_string(event, "why"), "timeout") == 0) {
		x->timed_out = true;
		visible_complain("not at the end after %d s", x->opts->timeout_s);
	}
	visible_put(text, stderr);
	/* After the report, so that it is the last line and not the first. */
	if (x->failed < x->opts->count)
		hint = exec_hint_say(x->hint, x->opts->count, x->failed);
	if (hint)
		visible_complain("%s", hint);
}

static void on_kernel(struct session_exec *x, const struct value *event)
{
	auto_free char *line = xasprintf("%s\n", event_string(event, "text"));

	x->kernel_complained |= event_flag(event, "bad");
	exec_output_note(&x->output, "kernel.txt", line);
	visible_complain("kernel: %s", event_string(event, "text"));
}

static int on_event(void *arg, struct worker *w, struct value *event, struct vbm_error *err)
{
	struct session_exec *x = arg;

	exec_report_event(&x->report, event);
	place_event(&x->place, event);
	if (event_is(event, "output"))
		return on_output(x, event, err);
	if (event_is(event, "exit"))
		return on_exit_event(x, event, err);
	if (event_is(event, "terminal"))
		meeting_event(x->place.meeting, event);
	if (event_is(event, "taken"))
		x->input.under_way = false;
	if (event_is(event, "fabric"))
		on_fabric(x, w);
	if (event_is(event, "counters"))
		exec_output_counters(&x->output, event);
	if (event_is(event, "wire"))
		exec_wire_add(&x->wire, event);
	if (event_is(event, "rule"))
		exec_rules_note(event, x->opts->wire, &x->rules);
	if (event_is(event, "capture") && !x->capture_error)
		x->capture_error = xstrdup(event_string(event, "error"));
	if (event_is(event, "stuck"))
		on_stuck(x, event);
	if (event_is(event, "kernel"))
		on_kernel(x, event);
	if (event_is(event, "error")) {
		x->no_place = true;
		x->not_ready = event_integer(event, "code") == ETIME;
		return vbm_fail(err, ENODEV, "%s", event_string(event, "text"));
	}
	return 0;
}

/*
 * Asks the runner for a report and for the end of the commands; a second signal ends all
 * at once.
 */
static int on_interrupt(void *arg, struct worker *const *workers, const char *why,
			struct vbm_error *err)
{
	auto_value struct value *stop = value_map();
	struct session_exec *x = arg;

	if (!x->has_fabric || x->interrupted)
		return vbm_fail(err, EINTR, "%s", why);
	x->interrupted = true;
	visible_complain("%s", why);
	value_set_string(stop, "stop", "interrupted");
	worker_allow_silence(workers[0], WORKER_SILENCE_MS);
	worker_send(workers[0], stop);
	return 0;
}

static int on_lost(void *arg, struct worker *w, enum worker_news news, const char *why,
		   struct vbm_error *err)
{
	struct session_exec *x = arg;
	int lines = (int)strlen(why);

	place_quiet(&x->place);
	if (x->has_fabric && exec_keep_console(worker_lane(w), true))
		lines = (int)strcspn(why, "\n");	/* the other lines were just shown */
	if (x->has_fabric && news == WORKER_SILENT && x->opts->timeout_s)
		x->timed_out = true;
	return vbm_fail(err, EIO, "%.*s", lines, why);
}

/* A kernel can die after the last event, while its devices are removed. */
static int on_end(void *arg, struct worker *w, struct vbm_error *err)
{
	auto_free char *crash = lane_crash(worker_lane(w));

	(void)arg;
	if (!crash)
		return 0;
	exec_keep_console(worker_lane(w), true);
	return vbm_fail(err, EIO, "the guest's kernel ended itself after the commands");
}

static void wait_for(void *arg, struct worker_wait *on)
{
	struct session_exec *x = arg;
	const struct pollfd nothing = {.fd = -1};
	bool now = x->has_fabric || !x->input.wanted;

	worker_input_for(on, &x->typed, now ? exec_input_wants(&x->input) : nothing);
	worker_input_for(on, &x->met, meeting_wants(x->place.meeting));
}

static int on_input(void *arg, struct vbm_error *err)
{
	struct session_exec *x = arg;

	if (worker_input_take(&x->met))
		meeting_act(x->place.meeting);
	return worker_input_take(&x->typed) ? exec_input_act(&x->input, x->place.worker, err) : 0;
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

static struct value *make_job(const struct exec_options *opts, const char *capture)
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
	if (opts->capture)
		value_set(job, "capture", json_bytes(capture));
	value_set_int(job, "timeout_ms", (int64_t)opts->timeout_s * 1000);
	/*
	 * On the hosts their output is a terminal; they may use colours only if it is a
	 * terminal here, too.
	 */
	if (!isatty(STDOUT_FILENO))
		value_set_string(value_get(job, "env"), "TERM", "dumb");
	return job;
}

static int on_ready(void *arg, struct worker *w, struct vbm_error *err)
{
	struct session_exec *x = arg;
	const char *kept = worker_lane(w)->kept;
	auto_free char *capture = xasprintf("%s/" EXEC_CAPTURE, kept ? kept : "");
	auto_value struct value *job = make_job(x->opts, capture);

	if (x->rule_lines)
		value_set(job, "rules", value_dup(x->rule_lines));
	if (x->opts->capture && !kept)
		return vbm_fail(err, EINVAL, "--capture: a guest cannot write to %s: the folder's "
				"path has a space or quote", x->opts->output);
	place_put_target(&x->place, job);
	exec_report_place(&x->report, worker_lane(w),
			  x->place.target.version ? x->place.target.version : rdma_core_version());
	place_progress(x->opts->machines ? "connecting to the machines" : "making the hosts", &x->place);
	if (x->opts->machines)
		worker_allow_silence(w, WORKER_SILENCE_MS + MACHINES_CONNECT_MS);
	worker_send_job(w, job);
	return 0;
}

static const struct follow_ops exec_ops = {
	.ready = on_ready,
	.event = on_event,
	.end = on_end,
	.lost = on_lost,
	.interrupted = on_interrupt,
	.wait_for = wait_for,
	.input = on_input,
};

static void say_note(const char *line, void *arg)
{
	struct session_exec *x = arg;
	auto_free char *text = xasprintf("%s\n", line);

	exec_output_note(&x->output, "notes.txt", text);
	visible_complain("%s", line);
}

/* Prints notes about packets, which the programs' own output does not show. */
static int say_wire(struct session_exec *x, struct vbm_error *err)
{
	auto_text struct text table = {0}, notes = {0};
	char *pos, *line;

	if (!x->wire.count)
		return 0;
	exec_wire_table(&x->wire, &table);
	exec_output_note(&x->output, "wire.tsv", table.s);
	exec_wire_notes(&x->wire, &notes);
	text_add(&notes, x->rules.s ? x->rules.s : "");
	for (pos = notes.s; pos && (line = file_next_line(&pos));)
		say_note(line, x);
	return x->capture_error ? vbm_fail(err, EIO, "%s/" EXEC_CAPTURE ": %s",
					  x->opts->output, x->capture_error) : 0;
}

/* A service after the last command is not started if that has ended by then. */
static size_t count_work(const struct exec_options *opts)
{
	size_t i, n = 0;

	for (i = 0; i < opts->count; i++)
		n += !opts->commands[i].service;
	return n;
}

static int run_there(struct session_exec *x, struct vbm_error *err)
{
	int rc = place_follow(&x->place, &exec_ops, x, err);
	size_t i;

	for (i = 0; i < x->opts->count; i++) {
		flush_line(x, i, 1);
		flush_line(x, i, 2);
	}
	if (x->place.worker && worker_lane(x->place.worker))
		lane_take(worker_lane(x->place.worker), say_note, x);
	if (x->has_fabric)
		exec_cores_report(x->opts, worker_lane(x->place.worker), x->died, x->died_of,
				  say_note, x);
	if (rc == 0)
		rc = say_wire(x, err);
	if (x->write_error)
		out_error_told();
	if (rc == 0 && x->write_error)
		return vbm_fail(err, x->write_error, "the commands' output could not be written: %s",
				strerror(x->write_error));
	if (rc == 0 && x->kernel_complained) {
		exec_keep_console(worker_lane(x->place.worker), false);
		if (!x->status && !x->timed_out)
			visible_complain("the kernel complained, so this run has failed");
	}
	if (rc == 0 && x->ended < count_work(x->opts) && !x->status && !x->timed_out &&
	    !x->kernel_complained && !x->interrupted)
		return vbm_fail(err, EPROTO, "the runner ended before the commands did");
	return rc;
}

/* Why the run ends so; EXEC_ENDS: all is well. */
static enum exec_end end_of(const struct session_exec *x, int rc)
{
	if (rc == -EINVAL)
		return EXEC_END_ARGUMENTS;
	if (x->timed_out)
		return EXEC_END_TIMEOUT;
	if (x->status)
		return EXEC_END_COMMAND;
	if (x->interrupted)
		return EXEC_END_FAILED;
	if (rc == 0)
		return x->kernel_complained ? EXEC_END_KERNEL : EXEC_ENDS;
	if (x->not_ready)
		return EXEC_END_READY;
	return rc == -EPIPE || (x->has_fabric && !x->no_place) ? EXEC_END_FAILED : EXEC_END_PLACE;
}

/* The reason of a verdict; NULL: all is well. The caller frees it. */
static char *reason_of(const struct session_exec *x, enum exec_end end, int rc, const char *why)
{
	const struct exec_command *c = x->failed < x->opts->count ? &x->opts->commands[x->failed] : NULL;

	if (end == EXEC_ENDS)
		return NULL;
	if (end == EXEC_END_TIMEOUT)
		return xasprintf("not at the end after %d s", x->opts->timeout_s);
	if (end == EXEC_END_COMMAND && c)
		return xasprintf("the %s on %s ended with status %d", c->service ? "service" : "command",
				 c->host, x->status);
	if (end == EXEC_END_KERNEL)
		return xstrdup("the kernel complained");
	return rc < 0 ? xasprintf("%s%s", exec_end_intro(end, rc), why) : xstrdup("interrupted");
}

/* A line says why, because a command could have the same status. */
static int end_with(struct session_exec *x, enum exec_end end, int rc, const char *why)
{
	auto_free char *reason = reason_of(x, end, rc, why);
	int status = end == EXEC_ENDS ? EXIT_OK :
		     exec_status_of(&x->opts->statuses, end, x->status);
	struct vbm_error err = {0};

	if (rc < 0)
		visible_complain("%s%s", exec_end_intro(end, rc), why);
	if (exec_report_end(&x->report, end, reason, status, &err) == 0)
		return status;
	visible_complain("%s", err.msg);
	out_error_told();
	return status ? status : exec_status_of(&x->opts->statuses, EXEC_END_FAILED, 0);
}

static int read_rules(struct session_exec *x, struct vbm_error *err)
{
	auto_free char *text = NULL, *errors = NULL;
	int rc = x->opts->wire ? file_read(x->opts->wire, &text, NULL, err) : 0;

	if (rc < 0 || !x->opts->wire)
		return rc;
	x->rule_lines = exec_rules_read(text, strlen(text), x->opts->wire, x->opts->hosts, &errors);
	return x->rule_lines ? 0 : vbm_fail(err, EINVAL, "%.*s", (int)strcspn(errors, "\n"), errors);
}

int exec_run(const struct exec_options *opts)
{
	struct session_exec x = {.opts = opts, .output.dir_fd = -1, .died = -1};
	struct vbm_error err = {0};
	enum exec_end end = EXEC_END_ARGUMENTS;
	int rc, status = EXIT_USAGE;
	size_t i;

	x.pending = xcalloc(opts->count, sizeof(*x.pending));
	x.hint = xcalloc(opts->count, sizeof(*x.hint));
	x.failed = opts->count;
	x.place = (struct place)PLACE_NONE;
	rc = read_rules(&x, &err);
	if (rc == 0)
		rc = exec_input_begin(&x.input, opts->input, &err);
	if (rc == 0)
		rc = exec_output_open(&x.output, opts->output, opts, &err);
	if (rc == 0)
		rc = exec_report_open(&x.report, opts, &err);
	if (rc == 0)
		rc = place_open(&x.place, opts, false, &status, &err);
	if (rc < 0 && status != EXIT_USAGE)
		end = EXEC_END_PLACE;
	if (rc == 0) {
		rc = run_there(&x, &err);
		end = end_of(&x, rc);
	}
	status = end_with(&x, end, rc, err.msg);
	for (i = 0; i < opts->count; i++) {
		text_fini(&x.pending[i][0]);
		text_fini(&x.pending[i][1]);
		exec_hint_fini(&x.hint[i]);
	}
	free(x.pending);
	free(x.hint);
	free(x.capture_error);
	text_fini(&x.rules);
	value_free(x.rule_lines);
	exec_wire_fini(&x.wire);
	exec_output_close(&x.output, opts);
	place_close(&x.place);
	return status;
}
