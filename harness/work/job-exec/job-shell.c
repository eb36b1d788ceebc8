/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "job-exec/commands.h"
#include "job-exec/join.h"
#include "job-exec/rsh.h"
#include "job-exec/running.h"
#include "machine-line/machine-command.h"
#include "event/read.h"
#include "event/sent.h"
#include "fabric/fabric.h"
#include "machines/machine-fabric.h"
#include "job/fabric-pool.h"
#include "job/interrupt.h"
#include "job/job.h"
#include "lib/base/fail.h"
#include "process/line.h"
#include "process/pump.h"
#include "program/host-env.h"
#include "program/process-ns.h"
#include "program/spawn.h"

/*
 * The job "shell": a terminal in a host.
 *
 *   host        "a"
 *   run         its number, for others who would join; see job-exec/join.h
 *   rows, cols  its size; later lines {"rows": ..., "cols": ...} change it
 *   env, env_bytes, cwd  of the shell, which is the $SHELL of env, else /bin/sh
 *
 * Its bytes go through a separate channel: the descriptor that the variable
 * VERBATIM_TERMINAL_FD names.
 */

struct job_shell_shell {
	struct job *job;
	struct fabric *fabric;
	struct process_ns process_ns;
	struct rsh rsh;
	struct join join;
	int number;		/* of the host */
	int channel;		/* owned: to the user's terminal */
	int master;		/* owned: the shell's side */
	struct machine_commands *far;	/* owned; the hosts are machines */
	struct running_command run;
	struct pump in, out;	/* typed input, and output */
	struct loop loop;
	struct watch typed, shown;	/* of @in and @out */
	struct watch front, joined;
	struct watch end;	/* readable when the shell has ended; owned */
	struct timer kill;
	bool stopping, over;
};

static int open_channel(struct vbm_error *err)
{
	const char *number = getenv("VERBATIM_TERMINAL_FD");
	int fd = -1;

	if (number)
		fd = fcntl((int)strtol(number, NULL, 10), F_DUPFD_CLOEXEC, 0);
	else
		errno = ENOTTY;
	if (fd < 0)
		return vbm_fail(err, errno, "no way to the terminal: %s", strerror(errno));
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
	return fd;
}

static void set_size(struct job_shell_shell *s, int64_t rows, int64_t cols)
{
	struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	if (s->run.far)
		machine_command_resize(s->run.far, (int)rows, (int)cols);
	else
		ioctl(s->master, TIOCSWINSZ, &ws);
}

static void print_greeting(struct job_shell_shell *s)
{
	int64_t run = event_integer(s->job->spec, "run");
	auto_free char *more = run ? xasprintf("'verbatim shell --join %lld HOST' opens another",
					       (long long)run) : NULL;
	auto_free char *text = host_greeting(fabric_host(s->fabric, s->number), fabric_faults(s->fabric, s->number),
					     more);

	pump_insert(&s->out, text, strlen(text));
}

/* The shell's end of the terminal; elsewhere the terminal is on the machine. */
static int open_terminal(struct job_shell_shell *s, int *theirs, struct vbm_error *err)
{
	int pair[2];

	if (!s->far)
		return spawn_terminal(&s->master, theirs, err);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return vbm_fail(err, errno, "cannot make a socket pair: %s", strerror(errno));
	s->master = pair[0];
	*theirs = pair[1];
	fcntl(s->master, F_SETFL, O_RDWR | O_NONBLOCK);
	return 0;
}

static int start_shell(struct job_shell_shell *s, struct vbm_error *err)
{
	const struct value *spec = s->job->spec;
	struct running_options opts = {
		.fabric = s->fabric, .host = s->number, .far = s->far, .process_ns = &s->process_ns, .job = spec,
		.rows = (int)event_integer_or(spec, "rows", 24), .cols = (int)event_integer_or(spec, "cols", 80),
	};
	auto_close int tty = -1;
	int rc = open_terminal(s, &tty, err);

	if (rc == 0 && !s->far)
		set_size(s, opts.rows, opts.cols);
	if (rc == 0)
		rc = running_start(&s->run, &opts, (const int[]){tty, tty, s->far ? -1 : tty}, &s->end.fd, err);
	pump_init(&s->in, s->channel, s->master);
	pump_init(&s->out, s->master, s->channel);
	print_greeting(s);
	return rc;
}

/* Ends the shell as a terminal does that is closed. */
static void stop_shell(struct job_shell_shell *s)
{
	if (s->stopping)
		return;
	s->stopping = true;
	vbm_timer_arm(&s->loop, &s->kill, clock_deadline_ms(COMMANDS_GRACE_MS));
	running_signal(&s->run, SIGHUP);
	running_signal(&s->run, SIGCONT);
}

/* Reads a line of the front end: a new size of the terminal, or a line for shells that join. */
static int take_sizes(struct job_shell_shell *s)
{
	struct vbm_error err = {0};
	const char *line;
	size_t len;
	int rc;

	while ((rc = line_next(&s->job->in->in, &line, &len)) > 0) {
		auto_value struct value *size = job_line(s->job, line, len, &err);

		if (!size) {
			emit_error(s->job->emit, err.code, err.msg);
			return -EPROTO;
		}
		if (!join_takes(&s->join, size) && sent_is(size, "rows"))
			set_size(s, event_integer(size, "rows"), event_integer(size, "cols"));
	}
	return rc;
}

/* The shell ends with the front end's stream. */
static void on_front(struct watch *front, uint32_t events)
{
	struct job_shell_shell *s = OWNER_OF(front, struct job_shell_shell, front);
	int n = line_fill(s->job->in);

	(void)events;
	if (take_sizes(s) < 0 || n == 0 || (n < 0 && n != -EAGAIN && n != -EINTR))
		stop_shell(s);
}

static void on_typed(struct watch *typed, uint32_t events)
{
	(void)events;
	pump_run(&OWNER_OF(typed, struct job_shell_shell, typed)->in);
}

static void on_shown(struct watch *shown, uint32_t events)
{
	(void)events;
	pump_run(&OWNER_OF(shown, struct job_shell_shell, shown)->out);
}

static void on_joined(struct watch *joined, uint32_t events)
{
	struct job_shell_shell *s = OWNER_OF(joined, struct job_shell_shell, joined);

	join_act(&s->join, s->job, (short)events);
}

static void on_end(struct watch *end, uint32_t events)
{
	struct job_shell_shell *s = OWNER_OF(end, struct job_shell_shell, end);

	(void)events;
	vbm_timer_disarm(&s->kill);
	s->over = true;
}

static void kill_now(struct timer *kill)
{
	running_signal(&OWNER_OF(kill, struct job_shell_shell, kill)->run, SIGKILL);
}

static void watch_all(struct job_shell_shell *s)
{
	s->kill.fire = kill_now;
	watch_add(&s->loop, &s->typed, -1, 0, on_typed);
	watch_add(&s->loop, &s->shown, -1, 0, on_shown);
	watch_add(&s->loop, &s->front, s->job->in->fd, POLLIN, on_front);
	watch_add(&s->loop, &s->joined, -1, 0, on_joined);
	watch_add(&s->loop, &s->end, s->end.fd, POLLIN, on_end);
}

static void wait_for_news(struct job_shell_shell *s)
{
	watch_for(&s->typed, pump_wants(&s->in));
	watch_for(&s->shown, pump_wants(&s->out));
	watch_for(&s->joined, join_wants(&s->join));
	if (s->stopping)
		vbm_watch_set(&s->front, -1, 0);
	s->loop.wait = s->stopping ? poll : interrupt_poll;
	machine_commands_settle(s->far);
	vbm_loop_run(&s->loop, -1);
}

static void serve_terminal(struct job_shell_shell *s)
{
	int64_t deadline;
	struct pollfd p;

	watch_all(s);
	take_sizes(s);	/* lines that came with the job */
	while (!s->over) {
		wait_for_news(s);
		if (interrupt_came())
			stop_shell(s);
	}
	/* The shell's last output may still be in the terminal. */
	deadline = clock_deadline_ms(COMMANDS_GRACE_MS);
	while (!pump_done(&s->out)) {
		p = pump_wants(&s->out);
		machine_commands_settle(s->far);
		if (interrupt_poll(&p, 1, clock_left_ms(deadline)) <= 0)
			break;
		pump_run(&s->out);
	}
}

static int run_shell(struct job_shell_shell *s, struct vbm_error *err)
{
	const char *host = event_string(s->job->spec, "host");
	struct value *event;
	int rc;

	s->channel = open_channel(err);
	if (s->channel < 0)
		return s->channel;
	if (fabric_is_elsewhere(s->fabric))
		s->far = machine_commands_new(&s->loop);
	rc = s->far ? 0 : process_ns_open(&s->process_ns, err);
	if (rc == 0 && !s->far)
		rc = rsh_start(&s->rsh, s->job, s->fabric, &s->process_ns, err);
	if (rc == 0 && !s->far)
		rc = join_start(&s->join, s->job, s->fabric, &s->process_ns, err);
	if (rc == 0)
		rc = start_shell(s, err);
	if (rc < 0)
		return rc;
	serve_terminal(s);
	if (s->far && machines_broken(s->fabric))
		return vbm_fail(err, ECONNRESET, "%s", machines_broken(s->fabric));
	event = emit_new(s->job->emit, "exit");
	value_set_string(event, "host", host);
	value_set_int(event, "status", running_reap(&s->run));
	emit_take(s->job->emit, event);
	return 0;
}

/* All machines of a hosts file, or as many hosts as are needed. */
static int hosts_of(const struct job_shell_shell *s)
{
	int needed = s->number < 2 ? 2 : s->number + 1;

	return event_has(s->job->spec, "machines") ? (int)event_maps(s->job->spec, "machines")->list.count : needed;
}

static int job_shell_main(struct job *job, struct vbm_error *err)
{
	struct fabric_pool pool = fabric_pool_for(job, true);
	struct job_shell_shell s = {.job = job, .process_ns = PROCESS_NS_CLOSED, .channel = -1, .master = -1,
			  .end.fd = -1, .join = JOIN_NONE};
	const char *host = event_string(job->spec, "host");
	int rc;

	vbm_loop_init_plain(&s.loop);
	s.number = host_number(host);
	if (s.number < 0 || s.number >= FABRIC_HOSTS_MAX)
		return vbm_fail(err, EPROTO, "no host is called '%s'", host);
	rc = fabric_pool_get(&pool, &(struct fabric_wish){
		.hosts = hosts_of(&s), .routed = event_flag_or(job->spec, "routed", false),
	}, &s.fabric, err);
	if (rc == 0)
		rc = run_shell(&s, err);
	rsh_stop(&s.rsh);
	join_stop(&s.join);
	machine_commands_free(s.far);
	process_ns_close(&s.process_ns);
	if (s.master >= 0)
		close(s.master);
	if (s.channel >= 0)
		close(s.channel);
	watch_close(&s.end);
	vbm_loop_fini(&s.loop);
	fabric_pool_fini(&pool);
	return rc;
}

const struct job_kind job_shell = {
	.name = "shell",
	.run = job_shell_main,
};
