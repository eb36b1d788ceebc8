/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-walk/walker.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/host-ns.h"
#include "lib/base/fail.h"
#include "process/child.h"
#include "process/line.h"
#include "job-walk/judge.h"
#include "job-walk/lacks.h"

static int write_json(int fd, const struct value *v)
{
	auto_free char *line = json_write(v);

	return line_write(fd, line, -1);
}

static void say_error(int fd, const struct vbm_error *err)
{
	auto_value struct value *v = value_map();

	value_set_string(v, "error", err->msg);
	write_json(fd, v);
}

static struct value *astray_map(const struct walk_astray *a)
{
	const struct model_statement *rule = model_statement(a->rule);
	struct value *v = value_map();

	value_set_int(v, "operation", (int64_t)a->op);
	value_set(v, "host", value_format_string("%c", a->host));
	value_set_string(v, "call", a->call);
	value_set_string(v, "field", a->field);
	value_set_string(v, "expected", a->expected);
	value_set_string(v, "actual", a->actual);
	if (rule->clause)
		value_set(v, "breaks", value_format_string("%s: %s", rule->clause, rule->text));
	return v;
}

static int say_sequence(int fd, uint64_t number, const struct sequence *s, const struct walk_astray *astray)
{
	auto_value struct value *v = value_map();

	value_set_int(v, "sequence", (int64_t)number);
	value_set_int(v, "operations", (int64_t)s->count);
	if (astray)
		value_set(v, "astray", astray_map(astray));
	return write_json(fd, v);
}

static int say_lacks(int fd, unsigned lacks)
{
	auto_value struct value *v = value_map();

	value_set_int(v, "lacks", lacks);
	return write_json(fd, v);
}

/* walk_listener. The operation begins when the line has been passed on. */
static int say_operation(void *arg, size_t op)
{
	auto_value struct value *v = value_map();
	const int *fd = arg;
	char told;

	value_set_int(v, "operation", (int64_t)op);
	return write_json(*fd, v) < 0 || read(*fd, &told, sizeof(told)) != sizeof(told) ? -EPIPE : 0;
}

/* Only the descriptors of the hosts and @fd stay open. */
static int become_walker(struct fabric *fabric, int fd, pid_t parent)
{
	const int stdio[] = {-1, STDERR_FILENO, STDERR_FILENO};
	int keep[FABRIC_NAMESPACE_FDS_MAX + 1];
	size_t n = fabric_namespace_fds(fabric, keep);

	keep[n++] = fd;
	return child_begin(&(struct child_setup){
		.parent = parent,
		.name = "verbatim-walk",
		.stdio = stdio,
		.keep = keep,
		.keep_count = n,
		.no_core = true,
	});
}

static int walk_range(int fd, struct fabric *fabric, const struct walk_orders *o, uint64_t from, uint64_t to, struct vbm_error *err)
{
	auto_free struct walk_hosts *hosts = xcalloc(1, sizeof(*hosts));
	auto_free struct sequence *s = xcalloc(1, sizeof(*s));
	struct model_stack stack = o->stack;
	const struct walk_listener listener = {say_operation, &fd};
	struct walk_astray astray;
	char told;
	int rc = walk_hosts_open(hosts, fabric, o->target, stack.lacks, err);

	hosts->fault.fd = -1;
	if (rc == 0 && o->groups & 1u << GROUP_FAULT)
		rc = fault_open(&hosts->fault, err);
	if (rc == 0) {
		stack.lacks |= walk_lacks(hosts);
		if (say_lacks(fd, stack.lacks) < 0)
			return vbm_fail(err, EPIPE, "the runner is gone");
	}
	for (; rc == 0 && from < to; from++) {
		if (read(fd, &told, sizeof(told)) != sizeof(told))
			return vbm_fail(err, EPIPE, "the runner is gone");
		sequence_draw(s, sequence_seed(o->seed, from), o->groups, stack, o->steps);
		rc = walk_sequence(hosts, s, stack, &astray, o->each ? &listener : NULL, err);
		if (rc >= 0 && say_sequence(fd, from, s, rc ? &astray : NULL) < 0)
			return vbm_fail(err, EPIPE, "the runner is gone");
	}
	target_close(hosts->target);
	return rc < 0 ? rc : 0;
}

int walker_start(struct walker *w, struct fabric *fabric, const struct walk_orders *orders, uint64_t from, uint64_t to,
		 struct vbm_error *err)
{
	pid_t parent = getpid();
	struct vbm_error failure = {0};
	int fds[2];

	*w = (struct walker){.fd = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return vbm_fail(err, errno, "cannot make a socket for a walker: %s", strerror(errno));
	w->pid = fork();
	if (w->pid == 0) {
		close(fds[0]);
		if (become_walker(fabric, fds[1], parent) < 0)
			vbm_fail(&failure, EIO, "cannot set up a walker");
		else
			walk_range(fds[1], fabric, orders, from, to, &failure);
		if (failure.code)
			say_error(fds[1], &failure);
		_exit(failure.code != 0);
	}
	close(fds[1]);
	w->fd = fds[0];
	if (w->pid > 0)
		return 0;
	w->pid = 0;
	walker_stop(w);
	return vbm_fail(err, errno, "cannot start a walker: %s", strerror(errno));
}

int walker_go_on(const struct walker *w)
{
	return send(w->fd, "", 1, MSG_NOSIGNAL) == 1 ? 0 : -EPIPE;
}

void walker_stop(struct walker *w)
{
	child_end(w->pid);
	if (w->fd >= 0)
		close(w->fd);
	*w = (struct walker){.fd = -1};
}
