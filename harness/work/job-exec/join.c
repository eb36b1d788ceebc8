/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-exec/join.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "event/sent.h"
#include "fabric/fabric.h"
#include "fabric/host-ns.h"
#include "job/job.h"
#include "lib/base/fail.h"
#include "process/child.h"
#include "program/host-env.h"
#include "program/process-ns.h"
#include "program/spawn.h"

#define CHUNK 4096
#define BEHIND_MAX 65536	/* bytes that the runner may have to take */
#define LAST_MAX (1024 * 1024)	/* read from a terminal whose shell has ended */

/* A shell, from its request to its end. */
struct seat {
	struct server *server;
	struct seat *next;
	int64_t number;
	pid_t pid;
	struct watch master;	/* of the terminal; owned; -1: closed */
	struct watch end;	/* of the shell: its pidfd, owned; -1: not started */
	struct text typed;	/* input that its terminal has not taken yet */
};

struct server {
	const struct job *job;
	const struct fabric *fabric;
	struct process_ns ns;
	struct peer runner;
	struct seat *seats;	/* owned; in the order of their beginning */
	struct loop loop;
	struct watch line;	/* of @runner */
};

static struct value *message(const struct seat *seat)
{
	struct value *m = value_map();

	value_set_int(m, "join", seat->number);
	return m;
}

static void send_message(struct server *s, struct value *m)
{
	peer_say(&s->runner, m);
	value_free(m);
}

static void say_bytes(struct server *s, const struct seat *seat, const char *bytes, size_t n)
{
	struct value *m = message(seat);
	auto_free char *text = base64_encode(bytes, n);

	value_set_string(m, "data", text);
	send_message(s, m);
}

static void set_size(const struct seat *seat, const struct value *size)
{
	struct winsize ws = {
		.ws_row = (unsigned short)event_integer_or(size, "rows", 24),
		.ws_col = (unsigned short)event_integer_or(size, "cols", 80),
	};

	ioctl(seat->master.fd, TIOCSWINSZ, &ws);
}

/* The environment of the run's programs, with the TERM of the joining user. */
static char **make_seat_env(const struct server *s, int host, const struct value *request)
{
	static const char *const from[][2] = {{"term", "TERM"}, {"shell", "SHELL"}};
	auto_value struct value *spec = value_dup(s->job->spec);
	struct host_info hosts[FABRIC_HOSTS_MAX];
	int i, n = fabric_host_count(s->fabric);
	struct value *env = value_get(spec, "env");
	size_t k;

	for (i = 0; i < n; i++)
		hosts[i] = *fabric_host(s->fabric, i);
	for (k = 0; env && k < ARRAY_SIZE(from); k++)
		if (event_has(request, from[k][0]))
			value_set_string(env, from[k][1],
					 event_string_or(request, from[k][0], NULL));
	return host_env(hosts, (size_t)n, (size_t)host, spec, NULL);
}

static int start_seat(struct server *s, struct seat *seat, const struct value *request,
		      struct vbm_error *err)
{
	const char *name = event_string_or(request, "host", "");
	const char *shell = event_string_or(request, "shell", "/bin/sh");
	const char *const argv[] = {access(shell, X_OK) == 0 ? shell : "/bin/sh", NULL};
	int host = host_number(name), n = fabric_host_count(s->fabric), pidfd = -1, rc;
	auto_free char *cwd = event_bytes(request, "cwd");
	auto_free char *greeting = NULL;
	auto_close int tty = -1;
	struct spawn spawn = {
		.process_ns = &s->ns, .argv = argv, .cwd = cwd, .terminal = true,
	};

	if (host < 0 || host >= n)
		return vbm_fail(err, ENOENT, "the run has no host '%s'; it has a to %s", name,
				fabric_host(s->fabric, n - 1)->name);
	if (spawn_terminal(&seat->master.fd, &tty, err) < 0)
		return -err->code;
	set_size(seat, request);
	spawn.stdio[0] = spawn.stdio[1] = spawn.stdio[2] = tty;
	spawn.ns = fabric_namespaces(s->fabric, host);
	spawn.envp = make_seat_env(s, host, request);
	greeting = host_greeting(fabric_host(s->fabric, host), fabric_faults(s->fabric, host), NULL);
	say_bytes(s, seat, greeting, strlen(greeting));
	rc = spawn_start(&spawn, &seat->pid, &pidfd, err);
	vbm_watch_set(&seat->end, pidfd, POLLIN);
	host_env_free(spawn.envp);
	return rc;
}

static void remove_seat(struct server *s, struct seat *seat)
{
	struct seat **at = &s->seats;

	while (*at != seat)
		at = &(*at)->next;
	*at = seat->next;
	vbm_loop_remove(&s->loop, &seat->master);
	vbm_loop_remove(&s->loop, &seat->end);
	watch_close(&seat->master);
	watch_close(&seat->end);
	text_fini(&seat->typed);
	free(seat);
}

static void on_terminal(struct watch *master, uint32_t events);
static void on_end(struct watch *end, uint32_t events);

static void take_place(struct server *s, const struct value *request)
{
	struct seat *seat = xcalloc(1, sizeof(*seat)), **last = &s->seats;
	struct vbm_error err = {0};
	struct value *m;

	seat->server = s;
	seat->number = event_integer(request, "join");
	while (*last)
		last = &(*last)->next;
	*last = seat;
	watch_add(&s->loop, &seat->master, -1, 0, on_terminal);
	watch_add(&s->loop, &seat->end, -1, 0, on_end);
	if (start_seat(s, seat, request, &err) == 0)
		return;
	m = message(seat);
	value_set_string(m, "error", err.msg);
	send_message(s, m);
	remove_seat(s, seat);
}

/* Sends on output; returns false at the end of the terminal, and if there is none now. */
static bool forward_output(struct server *s, struct seat *seat)
{
	char buf[CHUNK];
	ssize_t n = seat->master.fd < 0 ? 0 : read(seat->master.fd, buf, sizeof(buf));

	if (n > 0)
		say_bytes(s, seat, buf, (size_t)n);
	return n > 0;
}

static void type(struct server *s, struct seat *seat)
{
	struct value *m;
	ssize_t n;

	if (!seat->typed.len)
		return;
	n = seat->master.fd < 0 ? (ssize_t)seat->typed.len :
				  write(seat->master.fd, seat->typed.s, seat->typed.len);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* A terminal whose programs have ended takes no more input. */
	n = n < 0 ? (ssize_t)seat->typed.len : n;
	text_keep_end(&seat->typed, seat->typed.len - (size_t)n);
	if (seat->typed.len)
		return;
	m = message(seat);
	value_set_bool(m, "taken", true);
	send_message(s, m);
}

static void handle_seat_line(struct server *s, struct seat *seat, const struct value *line)
{
	const char *data = event_string_or(line, "data", NULL);
	size_t len = 0;
	auto_free char *bytes = data ? base64_decode(data, &len) : NULL;

	if (bytes) {
		text_add_bytes(&seat->typed, bytes, len);
		type(s, seat);
	}
	if (event_has(line, "rows"))
		set_size(seat, line);
	if (!event_flag_or(line, "hangup", false))
		return;
	/* Ends the shell as a terminal does that is closed. */
	spawn_signal(seat->pid, SIGHUP);
	spawn_signal(seat->pid, SIGCONT);
	watch_close(&seat->master);
}

static void hear_runner(struct server *s)
{
	struct value *line;
	struct seat *seat;

	for (; (line = peer_next(&s->runner)); value_free(line)) {
		seat = s->seats;
		while (seat && seat->number != event_integer(line, "join"))
			seat = seat->next;
		if (seat)
			handle_seat_line(s, seat, line);
		else if (event_has(line, "host"))
			take_place(s, line);
	}
}

static void on_terminal(struct watch *master, uint32_t events)
{
	struct seat *seat = OWNER_OF(master, struct seat, master);

	if (events & POLLOUT)
		type(seat->server, seat);
	if (events & ~POLLOUT && !forward_output(seat->server, seat) && events & POLLHUP)
		watch_close(master);	/* no process has it open any more */
}

static void on_end(struct watch *end, uint32_t events)
{
	struct seat *seat = OWNER_OF(end, struct seat, end);
	struct server *s = seat->server;
	struct value *m = message(seat);
	size_t shown;

	(void)events;
	value_set_int(m, "status", spawn_reap(seat->pid));
	/* Reads the shell's last output; other processes may still have the terminal open. */
	for (shown = 0; shown < LAST_MAX && forward_output(s, seat); shown += CHUNK)
		;
	send_message(s, m);
	remove_seat(s, seat);
}

static void on_runner(struct watch *line, uint32_t events)
{
	struct server *s = OWNER_OF(line, struct server, line);

	peer_act(&s->runner, (short)events);
	hear_runner(s);
}

static void wait_for(struct server *s)
{
	bool behind = peer_pending(&s->runner) >= BEHIND_MAX;
	struct seat *seat;

	for (seat = s->seats; seat; seat = seat->next)
		vbm_watch_set(&seat->master, seat->master.fd,
			      (seat->typed.len ? POLLOUT : 0u) | (behind ? 0u : POLLIN));
	watch_for(&s->line, peer_wants(&s->runner));
}

static void __attribute__((noreturn)) serve_seats(struct server *s, pid_t parent)
{
	int keep[FABRIC_NAMESPACE_FDS_MAX + 3];
	size_t n = fabric_namespace_fds(s->fabric, keep);

	keep[n++] = s->runner.fd;
	keep[n++] = s->ns.home;
	keep[n++] = s->ns.inside;
	if (child_begin(&(struct child_setup){
			.parent = parent, .name = "verbatim-join", .keep = keep, .keep_count = n,
		}) < 0)
		_exit(1);
	vbm_loop_init_plain(&s->loop);
	s->line.rank = 1;	/* output of the shells comes first */
	watch_add(&s->loop, &s->line, -1, 0, on_runner);
	while (!s->runner.gone) {
		wait_for(s);
		vbm_loop_run(&s->loop, -1);
	}
	_exit(0);
}

int join_start(struct join *join, const struct job *job, const struct fabric *fabric,
	       const struct process_ns *ns, struct vbm_error *err)
{
	struct server s = {.job = job, .fabric = fabric, .ns = process_ns_lent(ns)};
	pid_t parent = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return vbm_fail(err, errno, "cannot make a socket for verbatim shell --join: %s", strerror(errno));
	s.runner.fd = pair[1];
	join->peer.fd = pair[0];
	fflush(NULL);
	join->pid = fork();
	if (join->pid == 0)
		serve_seats(&s, parent);
	close(pair[1]);
	return join->pid < 0 ? vbm_fail(err, errno, "cannot start a process for verbatim shell --join: %s",
					strerror(errno)) : 0;
}

bool join_takes(struct join *join, const struct value *line)
{
	if (!sent_is(line, "join"))
		return false;
	peer_say(&join->peer, line);
	return true;
}

struct pollfd join_wants(const struct join *join)
{
	return peer_wants(&join->peer);
}

void join_act(struct join *join, const struct job *job, short revents)
{
	struct value *line, *event;
	size_t i;

	peer_act(&join->peer, revents);
	for (; (line = peer_next(&join->peer)); value_free(line)) {
		if (line->type != VALUE_MAP)
			continue;
		event = emit_new(job->emit, "terminal");
		for (i = 0; i < line->map.count; i++)
			value_set(event, line->map.member[i].key,
				  value_dup(line->map.member[i].value));
		emit_take(job->emit, event);
	}
}

void join_stop(struct join *join)
{
	child_end(join->pid);
	join->pid = 0;
	peer_fini(&join->peer);
}
