/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/search-path.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "fabric/host-ns.h"
#include "lib/base/fail.h"
#include "process/child.h"
#include "program/host-env.h"
#include "program/process-ns.h"

enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

static void __attribute__((noreturn)) give_up(const char *what)
{
	dprintf(STDERR_FILENO, "verbatim: %s: %s\n", what, strerror(errno));
	_exit(CANNOT_RUN);
}

/* If init has mounted a file over /proc/cpuinfo, the new /proc needs it as well. */
static int mount_proc(void)
{
	auto_close int cpuinfo = open("/proc/cpuinfo", O_PATH | O_CLOEXEC);
	auto_free char *was = xasprintf("/proc/self/fd/%d", cpuinfo);
	struct stat proc, file;
	bool other;

	other = cpuinfo >= 0 && fstat(cpuinfo, &file) == 0 && stat("/proc", &proc) == 0 &&
		file.st_dev != proc.st_dev;
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return -1;
	return other ? mount(was, "/proc/cpuinfo", NULL, MS_BIND, NULL) : 0;
}

/* Enter the host's namespaces, as an agent does. */
static void enter_spaces(const struct spawn *s)
{
	struct vbm_error err;

	if (s->ns && host_ns_enter(s->ns, &err) < 0) {
		dprintf(STDERR_FILENO, "verbatim: %s\n", err.msg);
		_exit(CANNOT_RUN);
	}
	if (!s->process_ns)
		return;
	/* The mounted /proc shows the processes of another process namespace. */
	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_SLAVE | MS_REC, NULL) < 0)
		give_up("cannot make mounts of its own");
	if (mount_proc() < 0)
		give_up("cannot mount the host's proc");
}

static void __attribute__((noreturn)) child(const struct spawn *s, pid_t parent)
{
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	const struct host_ns none = HOST_NS_NONE, *ns = s->ns ? s->ns : &none;
	const int keep[] = {ns->net, ns->mnt, ns->uts, ns->root};

	setsid();
	if (child_begin(&(struct child_setup){
			/* In a process namespace the runner has no process number. */
			.parent = s->process_ns ? 0 : parent,
			.stdio = s->stdio,
			.keep = keep,
			.keep_count = ARRAY_SIZE(keep),
		}) < 0)
		_exit(CANNOT_RUN);
	if (s->terminal && ioctl(STDIN_FILENO, TIOCSCTTY, 0) < 0)
		give_up("cannot take the terminal");
	enter_spaces(s);
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	if ((!s->cwd || chdir(s->cwd) < 0) && chdir("/") < 0)
		give_up("/");
	setenv("PATH", search_path_of(s->envp), 1);
	execvpe(s->argv[0], (char *const *)(uintptr_t)s->argv, s->envp);
	dprintf(STDERR_FILENO, "verbatim: %s: %s\n", s->argv[0], strerror(errno));
	_exit(errno == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

int spawn_pipe(int *ours, int *theirs, bool reads, struct vbm_error *err)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "cannot make a pipe: %s", strerror(errno));
	*ours = p[!reads];
	*theirs = p[reads];
	fcntl(*ours, F_SETFL, O_NONBLOCK);
	return 0;
}

int spawn_start(const struct spawn *spawn, pid_t *pid, int *pidfd, struct vbm_error *err)
{
	pid_t parent = getpid();

	fflush(NULL);
	*pid = spawn->process_ns ? process_ns_fork(spawn->process_ns) : fork();
	if (*pid < 0)
		return vbm_fail(err, errno, "cannot start %s: %s", spawn->argv[0],
				strerror(errno));
	if (*pid == 0)
		child(spawn, parent);
	*pidfd = (int)syscall(SYS_pidfd_open, *pid, 0);
	if (*pidfd < 0) {
		vbm_fail(err, errno, "cannot watch %s: %s", spawn->argv[0], strerror(errno));
		kill(*pid, SIGKILL);
		waitpid(*pid, NULL, 0);
		return -err->code;
	}
	return 0;
}

int spawn_on_host(struct spawn *spawn, const struct fabric *fabric, int host,
		  const struct value *job, pid_t *pid, int *pidfd, struct vbm_error *err)
{
	struct host_info hosts[FABRIC_HOSTS_MAX];
	int i, rc, n = fabric_host_count(fabric);

	for (i = 0; i < n; i++)
		hosts[i] = *fabric_host(fabric, i);
	spawn->ns = fabric_namespaces(fabric, host);
	spawn->envp = host_env(hosts, (size_t)n, (size_t)host, job, spawn->found);
	rc = spawn_start(spawn, pid, pidfd, err);
	host_env_free(steal(&spawn->envp));
	return rc;
}

/* A program that was started just now may not have its process group yet. */
void spawn_signal(pid_t pid, int sig)
{
	if (kill(-pid, sig) < 0 && errno == ESRCH)
		kill(pid, sig);
}

int spawn_reap_status(pid_t pid)
{
	int status = 0;

	/* The number of the process group is not reused before the process is waited for. */
	kill(-pid, SIGKILL);
	return waitpid(pid, &status, 0) == pid ? status : W_EXITCODE(CANNOT_RUN, 0);
}

int spawn_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int spawn_reap(pid_t pid)
{
	return spawn_status(spawn_reap_status(pid));
}

int spawn_reap_alone(pid_t pid)
{
	int status = 0;

	return waitpid(pid, &status, 0) == pid ? spawn_status(status) : CANNOT_RUN;
}

int spawn_terminal(int *ours, int *theirs, struct vbm_error *err)
{
	auto_close int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	char name[64];
	int slave;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    ptsname_r(master, name, sizeof(name)) != 0)
		return vbm_fail(err, errno, "cannot make a terminal: %s", strerror(errno));
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return vbm_fail(err, errno, "cannot open %s: %s", name, strerror(errno));
	*theirs = slave;
	*ours = steal_fd(&master);
	return 0;
}

int spawn_terminal_raw(int *ours, int *theirs, struct vbm_error *err)
{
	struct termios t;
	int ret = spawn_terminal(ours, theirs, err);

	if (ret == 0 && tcgetattr(*theirs, &t) == 0) {
		cfmakeraw(&t);
		tcsetattr(*theirs, TCSANOW, &t);
	}
	return ret;
}

#define CHUNK 32768
#define DRAIN_MAX (1024 * 1024)

/* Returns false at the end of the stream. */
static bool read_stream(struct command_output *o, int which)
{
	char bytes[CHUNK];
	ssize_t n = read(o->out[which].fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	/* A terminal that no process has open any more gives EIO. */
	if (n <= 0) {
		watch_close(&o->out[which]);
		return false;
	}
	o->take(o, which, bytes, (size_t)n);
	return true;
}

static void on_out(struct watch *out, uint32_t events)
{
	(void)events;
	read_stream(OWNER_OF(out, struct command_output, out[0]), 0);
}

static void on_err(struct watch *err, uint32_t events)
{
	(void)events;
	read_stream(OWNER_OF(err, struct command_output, out[1]), 1);
}

void command_output_watch(struct command_output *o, struct loop *loop)
{
	watch_add(loop, &o->out[0], o->out[0].fd, POLLIN, on_out);
	watch_add(loop, &o->out[1], o->out[1].fd, POLLIN, on_err);
}

void command_output_drain(struct command_output *o)
{
	struct pollfd p;
	size_t got;
	int which;

	for (which = 0; which < 2; which++) {
		p = (struct pollfd){.fd = o->out[which].fd, .events = POLLIN};
		for (got = 0; got < DRAIN_MAX && poll(&p, 1, 0) > 0; got += CHUNK)
			if (!read_stream(o, which))
				break;
	}
}
