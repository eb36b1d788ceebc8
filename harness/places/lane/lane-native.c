/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/lane.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "lane/kernel-words.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "net/rdma-driver.h"
#include "process/child.h"
#include "job-kinds/runner.h"

/* How long the runner may take to undo its work before it is killed. */
#define UNDO_MS 10000

struct native {
	pid_t pid;
	int status;	/* of the runner, once reaped */
	bool reaped;
};

/* One place only: this machine has one kernel, and all places would share its RDMA devices. */
static int native_capacity(const struct lane_options *opts)
{
	(void)opts;
	return 1;
}

/* The first type of devices whose driver this kernel does not have; NULL: it has all. */
static const struct device_type *lacking_driver(const struct device_words *devices)
{
	const struct device_type *type;
	size_t i;

	for (i = 0; (type = device_type_nth(i)); i++)
		if (device_words_have(devices, DEVICE_HOSTS, type) && !rdma_driver_is_there(type))
			return type;
	return NULL;
}

static int native_check(const struct lane_options *opts, struct vbm_error *err)
{
	const struct device_type *lacking = lacking_driver(&opts->devices);
	struct utsname u;

	if (opts->machines)
		return 0;
	if (opts->kernel && strcmp(opts->kernel, "running") != 0)
		return vbm_fail(err, EINVAL,
				"the native lane runs on this machine's own kernel; "
				"--kernel %s needs --lane guest", opts->kernel);
	if (opts->memory_mb || opts->cpus)
		return vbm_fail(err, EINVAL, "the native lane has this machine's memory and processors: "
				"--memory and --cpus need --lane guest");
	if (lacking) {
		uname(&u);
		return vbm_fail(err, ENODEV, "kernel %s has no %s loaded; try: modprobe %s "
				"(or use --lane guest)", u.release, lacking->module, lacking->module);
	}
	if (geteuid() != 0)
		return vbm_fail(err, EPERM, "the native lane needs root; run it with sudo, "
				"or use --lane guest");
	return 0;
}

/* The dynamic linker reads its variables only when a program starts. */
static void __attribute__((noreturn)) exec_runner(const char *const *environment, int fd, int terminal)
{
	auto_free char *number = xasprintf("%d", fd);
	char program[] = RUNNER_PROGRAM;
	char *argv[] = {program, number, NULL};

	for (; *environment; environment++)
		putenv(xstrdup(*environment));
	fcntl(fd, F_SETFD, 0);
	if (terminal >= 0)
		fcntl(terminal, F_SETFD, 0);
	execv("/proc/self/exe", argv);
	fprintf(stderr, "verbatim: cannot start the runner: %s\n", strerror(errno));
	_exit(1);
}

/* The runner may be a new program. */
static void hand_stations(const int *fd)
{
	auto_free char *numbers = xasprintf("%d,%d", fd[0], fd[1]);
	size_t i;

	for (i = 0; i < KERNELS_HOSTS; i++)
		fcntl(fd[i], F_SETFD, 0);
	setenv(STATIONS_VARIABLE, numbers, 1);
}

static void __attribute__((noreturn))
runner_child(const struct lane_options *opts, pid_t front, int fd, int terminal)
{
	int keep[2 + KERNELS_HOSTS] = {fd, terminal};
	size_t kept = 2, i;
	auto_free char *name = NULL;

	for (i = 0; opts->stations && i < KERNELS_HOSTS; i++)
		keep[kept++] = opts->stations[i];

	if (child_begin(&(struct child_setup){
			.parent = front,
			/* The runner has to remove its fabric. */
			.death_signal = SIGTERM,
			.name = "verbatim-runner",
			.keep = keep,
			.keep_count = kept,
		}) < 0)
		_exit(1);
	if (opts->stations)
		hand_stations(opts->stations);
	if (terminal >= 0) {
		name = xasprintf("%d", terminal);
		setenv("VERBATIM_TERMINAL_FD", name, 1);
	}
	if (opts->environment)
		exec_runner(opts->environment, fd, terminal);
	exit(runner_main(fd, fd));
}

static int native_begin(struct lane *lane, struct vbm_error *err)
{
	auto_close int runner_end = -1;
	auto_close int runner_terminal = -1;
	struct native *n = xcalloc(1, sizeof(*n));
	pid_t front = getpid();
	struct utsname u;
	int sv[2];

	lane->priv = n;
	lane->factor = clock_factor_for(1);
	lane->kept = lane->lanes->opts.artifacts;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
		return vbm_fail(err, errno, "socketpair: %s", strerror(errno));
	lane->event_fd = lane->job_fd = sv[0];
	runner_end = sv[1];
	if (lane->lanes->opts.terminal) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
			return vbm_fail(err, errno, "socketpair: %s", strerror(errno));
		lane->terminal_fd = sv[0];
		runner_terminal = sv[1];
	}
	uname(&u);
	snprintf(lane->kernel, sizeof(lane->kernel), "%.63s", u.release);
	strcpy(lane->accelerator, "none");
	fflush(NULL);
	n->pid = fork();
	if (n->pid < 0)
		return vbm_fail(err, errno, "fork: %s", strerror(errno));
	if (n->pid == 0)
		runner_child(&lane->lanes->opts, front, runner_end, runner_terminal);
	return 0;
}

/* Waits until the runner ends by itself, with poll(2) on a pidfd. */
static void reap(struct native *n, int factor)
{
	auto_close int pidfd = -1;
	struct pollfd p;

	if (n->reaped || n->pid <= 0)
		return;
	pidfd = (int)syscall(SYS_pidfd_open, n->pid, 0);
	p = (struct pollfd){.fd = pidfd, .events = POLLIN};
	if (pidfd >= 0 && poll(&p, 1, UNDO_MS * factor) == 0)
		kill(n->pid, SIGKILL);
	n->reaped = waitpid(n->pid, &n->status, 0) == n->pid;
}

static char *native_end_cause(struct lane *lane)
{
	struct native *n = lane->priv;

	reap(n, lane->factor);
	if (WIFSIGNALED(n->status))
		return xasprintf("the runner was killed by SIG%s",
				 sigabbrev_np(WTERMSIG(n->status)));
	return NULL;
}

static void native_stop(struct lane *lane)
{
	struct native *n = lane->priv;

	if (!n)
		return;
	if (!n->reaped && n->pid > 0)
		kill(n->pid, SIGTERM);
	reap(n, lane->factor);
	free(n);
}

const struct lane_ops lane_native = {
	.name = "native",
	.doc = "this machine's own kernel",
	.own_kernel = true,
	.check = native_check,
	.capacity = native_capacity,
	.begin = native_begin,
	.end_cause = native_end_cause,
	.stop = native_stop,
};
