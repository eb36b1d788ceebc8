/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/process-ns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "process/child.h"

#define OWN_PIDNS "/proc/self/ns/pid"
#define NEXT_PIDNS "/proc/self/ns/pid_for_children"

/*
 * The first process of a process namespace. The kernel gives it the orphans, does not send
 * it signals that it has no handler for, and ends all other processes after it. It cannot
 * see its parent, so the end of a pipe tells it that the parent has ended.
 */
static void __attribute__((noreturn)) hold_namespace(int parent_pipe)
{
	const int stdio[] = {parent_pipe, -1, -1};
	char byte;

	if (child_begin(&(struct child_setup){
			.parent = CHILD_OUTLIVES,
			.name = "verbatim-procs",
			.stdio = stdio,
			.ignore = {SIGCHLD},	/* otherwise orphans would stay as zombies */
		}) < 0)
		_exit(1);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/* A process that cannot return would start its next child in the wrong namespace, so it ends. */
static void go_home(const struct process_ns *ns)
{
	if (setns(ns->home, CLONE_NEWPID) == 0)
		return;
	fprintf(stderr, "verbatim: cannot return to verbatim's process namespace: %s\n",
		strerror(errno));
	abort();
}

static int open_inside(struct process_ns *ns, struct vbm_error *err)
{
	auto_close int keepers_end = -1;
	int parent_pipe[2];

	if (pipe2(parent_pipe, O_CLOEXEC) == 0) {
		keepers_end = parent_pipe[0];
		ns->parent_pipe = parent_pipe[1];
		fflush(NULL);
		ns->keeper = fork();
	}
	if (ns->parent_pipe >= 0 && ns->keeper == 0)
		hold_namespace(keepers_end);
	if (ns->keeper > 0)
		ns->inside = open(NEXT_PIDNS, O_RDONLY | O_CLOEXEC);
	if (ns->inside >= 0)
		return 0;
	return vbm_fail(err, errno, "cannot keep a process namespace: %s", strerror(errno));
}

int process_ns_open(struct process_ns *ns, struct vbm_error *err)
{
	int ret;

	*ns = PROCESS_NS_CLOSED;
	ns->home = open(OWN_PIDNS, O_RDONLY | O_CLOEXEC);
	if (ns->home < 0 || unshare(CLONE_NEWPID) < 0) {
		ret = vbm_fail(err, errno, "cannot make a process namespace: %s%s",
			       strerror(errno),
			       errno == EPERM ? " (this needs root: CAP_SYS_ADMIN)" : "");
		process_ns_close(ns);
		return ret;
	}
	ret = open_inside(ns, err);
	go_home(ns);
	if (ret < 0)
		process_ns_close(ns);
	return ret;
}

pid_t process_ns_fork(const struct process_ns *ns)
{
	int saved;
	pid_t pid;

	if (setns(ns->inside, CLONE_NEWPID) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		if (ns->parent_pipe >= 0)
			close(ns->parent_pipe);
		return 0;
	}
	saved = errno;
	go_home(ns);
	errno = saved;
	return pid;
}

/*
 * The number of a descriptor that the child has closed may later belong to another file,
 * so the copy does not have it.
 */
struct process_ns process_ns_lent(const struct process_ns *ns)
{
	return (struct process_ns){.parent_pipe = -1, .home = ns->home, .inside = ns->inside};
}

void process_ns_close(struct process_ns *ns)
{
	int *fds[] = {&ns->parent_pipe, &ns->home, &ns->inside};
	size_t i;

	if (ns->keeper > 0) {
		kill(ns->keeper, SIGKILL);
		/* This call returns when the last process in the namespace has ended. */
		while (waitpid(ns->keeper, NULL, 0) < 0 && errno == EINTR)
			;
	}
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
	*ns = PROCESS_NS_CLOSED;
}
