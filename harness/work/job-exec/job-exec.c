/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "job-exec/commands.h"
#include "job-exec/exec-job.h"
#include "job-exec/rsh.h"
#include "machine-line/machine-command.h"
#include "event/read.h"
#include "event/sent.h"
#include "names/host.h"
#include "machines/machine-fabric.h"
#include "job/fabric-pool.h"
#include "job/interrupt.h"
#include "job/job.h"
#include "job/kmsg.h"
#include "lib/base/fail.h"
#include "process/line.h"
#include "wire/tap.h"

/*
 * The job "exec": programs of the machine on the hosts of a fabric.
 *
 *   hosts       the least number of hosts
 *   commands    list of {host, command, [service], [ready], [ready_line], [fed]};
 *               started in this order, each once the one before is ready
 *   timeout_ms  the time after which the commands are ended; 0: no limit
 *   capture     path of a pcapng file, as it is seen here; or missing
 *   env, env_bytes, cwd  environment and folder of the commands
 *
 * Later lines: {"input": BASE64} and {"input_end": true} are for the command that
 * is fed; each piece is answered by "taken" once the command has it. {"stop":
 * WHY} asks for a report and ends the job. job-exec/join.h describes lines with "join".
 */

static int read_command(struct exec *x, struct command *c, const struct value *spec,
			struct vbm_error *err)
{
	int rc = sent_check_as(spec, "command", err);

	(void)x;
	if (rc < 0)
		return rc;
	c->text = event_bytes(spec, "command");
	c->host = event_string(spec, "host");
	c->number = host_number(c->host);
	c->service = event_flag(spec, "service");
	c->fed = event_flag(spec, "fed");
	if (c->number < 0 || c->number >= FABRIC_HOSTS_MAX)
		return vbm_fail(err, EPROTO, "no host is called '%s'", c->host);
	return ready_read(&c->ready, spec, err);
}

static int read_commands(struct exec *x, int *hosts, struct vbm_error *err)
{
	const struct value *list = event_maps(x->job->spec, "commands");
	int64_t wanted = event_integer(x->job->spec, "hosts");
	struct command *c;
	size_t i;
	int rc = 0;

	if (!list || list->list.count == 0)
		return vbm_fail(err, EPROTO, "an exec job without commands");
	if (wanted < 1 || wanted > FABRIC_HOSTS_MAX)
		return vbm_fail(err, EPROTO, "an exec job for %lld hosts", (long long)wanted);
	*hosts = (int)wanted;
	x->count = list->list.count;
	x->cmd = xcalloc(x->count, sizeof(*x->cmd));
	for (c = x->cmd; c < x->cmd + x->count; c++)
		command_init(c, x);
	for (i = 0; rc == 0 && i < x->count; i++) {
		rc = read_command(x, &x->cmd[i], list->list.item[i], err);
		if (x->cmd[i].number >= *hosts)
			*hosts = x->cmd[i].number + 1;
	}
	return rc;
}

/* Whether a command that is no service still runs or has not started. */
static bool works(const struct exec *x)
{
	size_t i;

	for (i = 0; i < x->count; i++)
		if (!x->cmd[i].service && (i >= x->started || command_runs(&x->cmd[i])))
			return true;
	return false;
}

static bool busy(const struct exec *x)
{
	size_t i;

	for (i = 0; i < x->started; i++)
		if (command_runs(&x->cmd[i]))
			return true;
	return !x->stopping && works(x);
}

/* Stops all commands if the job is stopping, or if only services still run. */
static void end_some(struct exec *x)
{
	bool over = !works(x);
	size_t i;

	for (i = 0; i < x->started; i++)
		if (x->stopping || over)
			command_stop(&x->cmd[i]);
}

static void feed(struct exec *x, const char *base64)
{
	size_t len = 0, i;
	auto_free char *data = base64_decode(base64, &len);

	for (i = 0; data && i < x->count; i++)
		if (x->cmd[i].fed)
			command_feed(&x->cmd[i], data, len);
}

static void take_line(struct exec *x, const struct value *line)
{
	size_t i;

	if (sent_is(line, "input"))
		feed(x, event_string(line, "input"));
	for (i = 0; sent_is(line, "input_end") && i < x->count; i++)
		if (x->cmd[i].fed)
			command_end_input(&x->cmd[i]);
	if (sent_is(line, "stop") && !x->stopping) {
		stuck_report(x, event_string(line, "stop"));
		x->stopping = true;
	}
}

/* Reads the lines of the front end; ends everything if it is gone. */
static void on_front(struct watch *front, uint32_t events)
{
	struct exec *x = OWNER_OF(front, struct exec, front);
	struct line_reader *in = x->job->in;
	const char *line;
	size_t len;
	struct vbm_error err = {0};
	int n = line_fill(in), rc;

	(void)events;
	while ((rc = line_next(&in->in, &line, &len)) > 0) {
		auto_value struct value *v = job_line(x->job, line, len, &err);

		if (!v) {
			emit_error(x->job->emit, err.code, err.msg);
			x->stopping = true;
			return;
		}
		if (!join_takes(&x->join, v))
			take_line(x, v);
	}
	if (rc < 0 || n == 0 || (n < 0 && n != -EAGAIN && n != -EINTR))
		x->stopping = true;
}

static void on_kernel(struct watch *kernel, uint32_t events)
{
	struct exec *x = OWNER_OF(kernel, struct exec, kernel);

	(void)events;
	kernel_log_hear(x->log, x->job);
}

static void on_joined(struct watch *joined, uint32_t events)
{
	struct exec *x = OWNER_OF(joined, struct exec, joined);

	join_act(&x->join, x->job, (short)events);
}

static void on_timeout(struct timer *timeout)
{
	struct exec *x = OWNER_OF(timeout, struct exec, timeout);

	if (x->stopping || !busy(x))
		return;
	stuck_report(x, "timeout");
	x->stopping = true;
}

static void watch_all(struct exec *x)
{
	x->front.rank = x->kernel.rank = x->joined.rank = 1;
	watch_add(&x->loop, &x->front, x->job->in->fd, POLLIN, on_front);
	watch_add(&x->loop, &x->kernel, kernel_log_fd(x->log), POLLIN, on_kernel);
	watch_add(&x->loop, &x->joined, -1, 0, on_joined);
}

static void wait_for_news(struct exec *x)
{
	bool starts = !x->stopping && x->started && x->started < x->count;
	size_t i;

	for (i = 0; i < x->started; i++)
		command_wait_for(&x->cmd[i]);
	watch_for(&x->joined, join_wants(&x->join));
	if (x->stopping)
		vbm_watch_set(&x->front, -1, 0);
	x->loop.wait = x->stopping ? poll : interrupt_poll;
	vbm_loop_run(&x->loop, starts ? ready_patience_ms(&x->cmd[x->started - 1]) : -1);
}

/* A machine whose connection broke ends the job; nothing is known about its commands. */
static int look_at_machines(struct exec *x, struct vbm_error *err)
{
	const char *broken;

	machine_commands_settle(x->far);
	broken = x->far ? machines_broken(x->fabric) : NULL;
	return broken ? vbm_fail(err, ECONNRESET, "%s", broken) : 0;
}

/* Makes the match of --ready-line on a host a variable of the commands that start later. */
static void keep_found(struct exec *x, const struct command *c)
{
	if (c->ready.found)
		value_set_string(x->found, c->host, c->ready.found);
}

/* Starts the next command: returns 1, or 0 if it is too early. */
static int start_next(struct exec *x, struct vbm_error *err)
{
	int rc = 1;

	if (x->stopping || x->started == x->count)
		return 0;
	if (x->started)
		rc = ready_look(x, &x->cmd[x->started - 1], err);
	if (rc <= 0)
		return rc;
	if (x->started)
		keep_found(x, &x->cmd[x->started - 1]);
	/* Counted before the start, so that a failed start is cleaned up. */
	x->started++;
	rc = command_start(x, &x->cmd[x->started - 1], err);
	return rc < 0 ? rc : 1;
}

static int run_all(struct exec *x, struct vbm_error *err)
{
	int rc = 0, now;

	watch_all(x);
	while (busy(x)) {
		if (interrupt_came() || x->job->emit->error)
			x->stopping = true;
		end_some(x);
		now = start_next(x, err);
		if (now > 0)
			continue;
		if (now < 0) {
			rc = now;
			stuck_report(x, "failed");
			x->stopping = true;
			continue;
		}
		if (look_at_machines(x, err) < 0)
			return -err->code;
		wait_for_news(x);
	}
	kernel_log_hear(x->log, x->job);
	return rc;
}

static void close_exec(struct exec *x)
{
	size_t i;

	for (i = 0; i < x->count; i++)
		command_fini(&x->cmd[i]);
	machine_commands_free(x->far);
	process_ns_close(&x->process_ns);
	free(x->cmd);
	value_free(x->found);
	stuck_fini(x);
	vbm_loop_fini(&x->loop);
}

/* Counts the packets on the cables and, if the job says so, captures them. */
static int wire_begin(struct exec *x, struct vbm_error *err)
{
	auto_free char *path = event_bytes(x->job->spec, "capture");

	/* A kernel without packet sockets can still run programs, without the counts. */
	wire_count_begin(&x->count_wire, x->fabric, NULL);
	return path ? capture_start(&x->capture, x->fabric, path, err) : 0;
}

static void emit_host(struct exec *x, int host, const struct wire_counts *counts,
		      const struct tap_counts *captured)
{
	struct value *event = emit_new(x->job->emit, "wire");
	uint64_t dropped = 0;

	value_set_string(event, "host", fabric_host(x->fabric, host)->name);
	value_set_int(event, "received", (int64_t)counts->received);
	value_set_int(event, "arrived", (int64_t)counts->arrived);
	if (captured) {
		value_set_int(event, "captured", (int64_t)(captured->seen - captured->lost));
		value_set_int(event, "lost", (int64_t)captured->lost);
	}
	if (*fabric_faults(x->fabric, host) && fabric_dropped(x->fabric, host, &dropped, NULL) == 0) {
		value_set_string(event, "cable", fabric_faults(x->fabric, host));
		value_set_int(event, "dropped", (int64_t)dropped);
	}
	emit_take(x->job->emit, event);
}

/* Emits the counts once; a second call does nothing. */
static void wire_end(struct exec *x)
{
	struct tap_counts captured[FABRIC_HOSTS_MAX] = {0};
	bool has_capture = x->capture.pid > 0;
	struct wire_counts counts;
	struct vbm_error err = {0};
	struct value *event;
	int i;

	if (has_capture && capture_stop(&x->capture, captured, &err) < 0) {
		event = emit_new(x->job->emit, "capture");
		value_set_string(event, "error", err.msg);
		emit_take(x->job->emit, event);
	}
	for (i = 0; x->count_wire && i < fabric_host_count(x->fabric); i++)
		if (wire_count_read(x->count_wire, i, &counts, NULL) == 0)
			emit_host(x, i, &counts, has_capture ? &captured[i] : NULL);
	wire_count_end(x->count_wire);
	x->count_wire = NULL;
	capture_end(&x->capture);
}

/* Starts what the commands need beside themselves. With --hosts they get none of it. */
static int start_surroundings(struct exec *x, struct rsh *rsh, struct vbm_error *err)
{
	int rc;

	if (fabric_is_elsewhere(x->fabric)) {
		x->far = machine_commands_new(&x->loop);
		return 0;
	}
	rc = process_ns_open(&x->process_ns, err);
	if (rc == 0)
		rc = rsh_start(rsh, x->job, x->fabric, &x->process_ns, err);
	if (rc == 0)
		rc = wire_begin(x, err);
	if (rc == 0)
		rc = exec_rules_begin(x, err);
	if (rc == 0)
		rc = join_start(&x->join, x->job, x->fabric, &x->process_ns, err);
	return rc;
}

static int job_exec_main(struct job *job, struct vbm_error *err)
{
	struct fabric_pool pool = fabric_pool_for(job, true);
	struct exec x = {.job = job, .process_ns = PROCESS_NS_CLOSED,
			 .found = value_map(), .timeout.fire = on_timeout, .capture = CAPTURE_NONE, .join = JOIN_NONE};
	struct rsh rsh = {0};
	int64_t timeout_ms = event_integer(job->spec, "timeout_ms");
	int rc, hosts = 2;

	vbm_loop_init_plain(&x.loop);
	rc = read_commands(&x, &hosts, err);
	x.log = kernel_log_new(event_has(job->spec, "machines") ? -1 : kmsg_open(NULL));
	if (rc == 0)
		rc = fabric_pool_get(&pool, &(struct fabric_wish){
			.hosts = hosts, .routed = event_flag_or(job->spec, "routed", false),
		}, &x.fabric, err);
	if (rc == 0)
		rc = start_surroundings(&x, &rsh, err);
	/* The user's time-out is not multiplied by the factor. */
	if (timeout_ms > 0)
		vbm_timer_arm(&x.loop, &x.timeout, clock_now_ns() + timeout_ms * NS_PER_MS);
	if (rc == 0) {
		stuck_begin(&x);
		rc = run_all(&x, err);
		stuck_counters(&x);
		wire_end(&x);
		exec_rules_tell(&x);
	}
	exec_rules_end(&x);
	capture_end(&x.capture);
	rsh_stop(&rsh);
	join_stop(&x.join);
	close_exec(&x);
	fabric_pool_fini(&pool);
	/*
	 * The kernel may complain when the fabric and the objects of the commands are
	 * removed.
	 */
	kernel_log_hear(x.log, job);
	kernel_log_free(x.log);
	return rc;
}

const struct job_kind job_exec = {
	.name = "exec",
	.run = job_exec_main,
};
