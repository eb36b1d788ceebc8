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
#include "base/json.h"
#include "base/line.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "fail.h"
#include "runner/fabric-pool.h"
#include "runner/host-env.h"
#include "runner/job.h"
#include "runner/kmsg.h"
#include "runner/listening.h"
#include "runner/process-ns.h"
#include "runner/spawn.h"

/*
 * The job "exec": programs of the machine on the hosts of a fabric.
 *
 *   commands  list of {host, command}; started in this order
 *   env, env_bytes, cwd  of the commands
 *
 * A command is started once the one before listens, has ended well, or has
 * run for HEAD_START_MS. That a program listens is announced by nobody, so it
 * is looked up every CHECK_MS meanwhile.
 */
#define HEAD_START_MS 1000
#define CHECK_MS 25
#define GRACE_MS 2000	/* from SIGTERM to SIGKILL */
#define CHUNK 32768
#define DRAIN_MAX (1024 * 1024)

struct command {
	char *text;		/* owned */
	const char *host;	/* borrowed */
	int number;		/* of the host */
	pid_t pid;		/* 0: not started */
	int pidfd;		/* owned, as pipes; -1: ended or not started */
	int pipe[2];		/* its stdout and stderr; -1: closed */
	int64_t head_start_ns;	/* until when the next one waits */
};

struct exec {
	struct job *job;
	struct fabric *fabric;
	struct process_ns process_ns;		/* of all commands: they may be looking for each other */
	struct command *cmd;	/* owned */
	size_t count, started;
	bool stopping;		/* one failed, or we were told to stop */
	bool killed;
	int64_t kill_ns;
	int null_fd;
	int kmsg_fd;		/* -1: not readable here */
};

static int read_commands(struct exec *x, int *hosts, struct vbm_error *err)
{
	const struct value *list = value_get(x->job->spec, "commands");
	struct command *c;
	size_t i;

	if (!list || list->type != VALUE_LIST || list->list.count == 0)
		return vbm_fail(err, EPROTO, "an exec job without commands");
	x->count = list->list.count;
	x->cmd = xcalloc(x->count, sizeof(*x->cmd));
	for (i = 0; i < x->count; i++)
		x->cmd[i].pidfd = x->cmd[i].pipe[0] = x->cmd[i].pipe[1] = -1;
	for (i = 0; i < x->count; i++) {
		c = &x->cmd[i];
		c->text = json_bytes_read(value_get(list->list.item[i], "command"));
		c->host = value_get_string(list->list.item[i], "host", "");
		c->number = fabric_host_number(c->host);
		if (!c->text)
			return vbm_fail(err, EPROTO, "an exec job without a command for '%s'",
					c->host);
		if (c->number < 0 || c->number >= FABRIC_HOSTS_MAX)
			return vbm_fail(err, EPROTO, "no host is called '%s'", c->host);
		if (c->number >= *hosts)
			*hosts = c->number + 1;
	}
	return 0;
}

static char **environment(struct exec *x, int host)
{
	struct host_info hosts[FABRIC_HOSTS_MAX];
	int i, n = fabric_host_count(x->fabric);

	for (i = 0; i < n; i++)
		hosts[i] = *fabric_host(x->fabric, i);
	return host_env(hosts, (size_t)n, (size_t)host, x->job->spec);
}

static int start(struct exec *x, struct command *c, struct vbm_error *err)
{
	const char *const argv[] = {"/bin/sh", "-c", c->text, NULL};
	auto_free char *cwd = json_bytes_read(value_get(x->job->spec, "cwd"));
	auto_close int out = -1, errors = -1;
	struct spawn spawn = {
		.process_ns = &x->process_ns,
		.netns_fd = fabric_netns_fd(x->fabric, c->number),
		.argv = argv,
		.cwd = cwd,
	};
	int p[2], q[2], rc;

	if (pipe2(p, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "pipe: %s", strerror(errno));
	c->pipe[0] = p[0];
	out = p[1];
	if (pipe2(q, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "pipe: %s", strerror(errno));
	c->pipe[1] = q[0];
	errors = q[1];
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	fcntl(q[0], F_SETFL, O_NONBLOCK);
	spawn.stdio[0] = x->null_fd;
	spawn.stdio[1] = out;
	spawn.stdio[2] = errors;
	spawn.envp = environment(x, c->number);
	rc = spawn_start(&spawn, &c->pid, &c->pidfd, err);
	host_env_free(spawn.envp);
	c->head_start_ns = clock_deadline_ms(HEAD_START_MS);
	return rc;
}

/* False at its end. */
static bool pass_on(struct exec *x, struct command *c, int which)
{
	char buf[CHUNK];
	auto_free char *text = NULL;
	struct value *event;
	ssize_t n = read(c->pipe[which], buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0) {
		close(c->pipe[which]);
		c->pipe[which] = -1;
		return false;
	}
	text = base64_encode(buf, (size_t)n);
	event = emit_new(x->job->emit, "output");
	value_set_string(event, "host", c->host);
	value_set_int(event, "stream", which + 1);
	value_set_string(event, "data", text);
	value_set_int(event, "command", c - x->cmd);
	emit_take(x->job->emit, event);
	return true;
}

static void stop_all(struct exec *x, int sig)
{
	size_t i;

	x->stopping = true;
	for (i = 0; i < x->started; i++)
		if (x->cmd[i].pidfd >= 0)
			spawn_signal(x->cmd[i].pid, sig);
}

static void stop(struct exec *x)
{
	if (x->stopping)
		return;
	x->kill_ns = clock_deadline_ms(GRACE_MS);
	stop_all(x, SIGTERM);
}

/* What it still has in its pipes belongs to it; then nobody may hold them. */
static void drain(struct exec *x, struct command *c)
{
	struct pollfd p;
	size_t got;
	int which;

	for (which = 0; which < 2; which++) {
		p = (struct pollfd){.fd = c->pipe[which], .events = POLLIN};
		for (got = 0; got < DRAIN_MAX && poll(&p, 1, 0) > 0; got += CHUNK)
			if (!pass_on(x, c, which))
				break;
		if (c->pipe[which] >= 0)
			close(c->pipe[which]);
		c->pipe[which] = -1;
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
	emit_take(x->job->emit, event);
	if (status != 0)
		stop(x);
}

static bool may_start(struct exec *x)
{
	const struct command *before;

	if (x->stopping || x->started == x->count)
		return false;
	if (x->started == 0)
		return true;
	before = &x->cmd[x->started - 1];
	return before->pidfd < 0 || clock_now_ns() >= before->head_start_ns ||
	       session_listens(x->fabric, before->number, before->pid);
}

static bool busy(const struct exec *x)
{
	size_t i;

	for (i = 0; i < x->started; i++)
		if (x->cmd[i].pidfd >= 0)
			return true;
	return !x->stopping && x->started < x->count;
}

static int patience_ms(const struct exec *x)
{
	if (x->stopping)
		return x->killed ? -1 : clock_left_ms(x->kill_ns);
	return x->started < x->count ? CHECK_MS : -1;
}

/* A message of the kernel that means trouble belongs to the output. */
static void hear_kernel(struct exec *x)
{
	enum kmsg_severity severity;
	struct kmsg_record rec;
	struct value *event;

	while (x->kmsg_fd >= 0 && kmsg_next(x->kmsg_fd, &rec)) {
		severity = kmsg_classify(&rec);
		if (severity == KMSG_FINE)
			continue;
		event = emit_new(x->job->emit, "kernel");
		value_set(event, "name", value_null());
		value_set_int(event, "level", rec.level);
		value_set_string(event, "text", rec.text);
		value_set_bool(event, "bad", true);
		emit_take(x->job->emit, event);
	}
}

/* The front end has nothing to say after this job: what comes is dropped. */
static bool front_is_gone(struct line_reader *in)
{
	const char *line;
	size_t len;
	int n = line_fill(in), rc;

	do {
		rc = line_next(&in->in, &line, &len);
	} while (rc > 0);
	return rc < 0 || n == 0 || (n < 0 && n != -EAGAIN && n != -EINTR);
}

static void wait_for_news(struct exec *x)
{
	size_t i, n = 0, count = 3 * x->started + 2;
	auto_free struct pollfd *p = xcalloc(count, sizeof(*p));
	sigset_t none, all, old;
	struct timespec ts;
	int ms = patience_ms(x), k;

	for (i = 0; i < x->started; i++) {
		p[n++] = (struct pollfd){.fd = x->cmd[i].pipe[0], .events = POLLIN};
		p[n++] = (struct pollfd){.fd = x->cmd[i].pipe[1], .events = POLLIN};
		p[n++] = (struct pollfd){.fd = x->cmd[i].pidfd, .events = POLLIN};
	}
	p[n++] = (struct pollfd){.fd = x->stopping ? -1 : x->job->in->fd, .events = POLLIN};
	p[n++] = (struct pollfd){.fd = x->kmsg_fd, .events = POLLIN};
	/* A signal that comes before the wait must end it, too. */
	sigemptyset(&none);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	ts = (struct timespec){ms / 1000, ms % 1000 * 1000000L};
	k = runner_interrupted() && !x->stopping ? -1 :
	    ppoll(p, n, ms < 0 ? NULL : &ts, &none);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (k <= 0)
		return;
	for (i = 0; i < x->started; i++) {
		struct command *c = &x->cmd[i];

		for (k = 0; k < 2; k++)
			if (c->pipe[k] >= 0 && p[3 * i + (size_t)k].revents)
				pass_on(x, c, k);
		if (p[3 * i + 2].revents)
			ended(x, c);
	}
	if (p[n - 2].revents && front_is_gone(x->job->in))
		stop(x);
	hear_kernel(x);
}

static int run_all(struct exec *x, struct vbm_error *err)
{
	int rc = 0;

	while (busy(x)) {
		if (runner_interrupted() || x->job->emit->error)
			stop(x);
		if (x->stopping && !x->killed && clock_now_ns() >= x->kill_ns) {
			x->killed = true;
			stop_all(x, SIGKILL);
		}
		if (may_start(x)) {
			/* Counted before, so that a failure half way is cleaned up. */
			x->started++;
			rc = start(x, &x->cmd[x->started - 1], err);
			if (rc < 0)
				stop(x);
			continue;
		}
		wait_for_news(x);
	}
	hear_kernel(x);
	return rc;
}

static void finish(struct exec *x)
{
	size_t i;
	int k;

	process_ns_close(&x->process_ns);
	for (i = 0; i < x->count; i++) {
		for (k = 0; k < 2; k++)
			if (x->cmd[i].pipe[k] >= 0)
				close(x->cmd[i].pipe[k]);
		free(x->cmd[i].text);
	}
	free(x->cmd);
	if (x->null_fd >= 0)
		close(x->null_fd);
	if (x->kmsg_fd >= 0)
		close(x->kmsg_fd);
}

static int job_exec_main(struct job *job, struct vbm_error *err)
{
	struct fabric_pool pool = fabric_pool_for(job);
	struct exec x = {.job = job, .process_ns = PROCESS_NS_CLOSED, .null_fd = -1,
			 .kmsg_fd = -1};
	int rc, hosts = 2;

	rc = read_commands(&x, &hosts, err);
	if (rc == 0) {
		x.null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		x.kmsg_fd = kmsg_open(NULL);
		rc = fabric_pool_get(&pool, hosts, &x.fabric, err);
	}
	if (rc == 0)
		rc = process_ns_open(&x.process_ns, err);
	if (rc == 0)
		rc = run_all(&x, err);
	finish(&x);
	fabric_pool_fini(&pool);
	return rc;
}

const struct job_kind job_exec = {
	.name = "exec",
	.run = job_exec_main,
};
