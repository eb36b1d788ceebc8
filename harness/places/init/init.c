/* SPDX-License-Identifier: BSD-2-Clause */
#include "init/init.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "names/host.h"
#include "machines/found.h"
#include "guest/guest.h"
#include "guest/host.h"
#include "job/fabric-pool.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "process/child.h"
#include "job-kinds/runner.h"
#include "machine-station/station.h"

/*
 * QEMU runs with -no-reboot, so a restart ends it, faster than a power-off. A user-mode
 * kernel would start again, so it halts.
 */
static void __attribute__((noreturn)) end_guest(void)
{
	auto_free char *end = file_kernel_word(GUEST_ARG_END);

	fflush(NULL);
	sync();
	reboot(end && !strcmp(end, "halt") ? RB_HALT_SYSTEM : RB_AUTOBOOT);
	for (;;)
		pause();
}

static void open_console(void)
{
	int fd = open("/dev/console", O_WRONLY | O_NOCTTY);
	int null = open("/dev/null", O_RDONLY);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (fd < 0)
		return;
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	if (null > STDERR_FILENO)
		close(null);
}

static int enter_host(struct vbm_error *err)
{
	auto_free char *root = file_kernel_word(GUEST_ARG_ROOT), *modules = file_kernel_word(GUEST_ARG_MODULES);
	auto_free char *kept = file_kernel_word(GUEST_ARG_KEPT);
	auto_free char *seen_by = file_kernel_word(GUEST_ARG_SEEN_BY);
	bool programs = seen_by && !strcmp(seen_by, GUEST_SEEN_BY_PROGRAMS);
	int ret = 0, i;

	if (!root)
		return 0;
	if (kept)
		ret = init_mount_kept(root, kept, err);
	/* A scenario's agent may die on purpose: only exec and shell keep cores. */
	if (ret == 0 && kept && !programs)
		ret = init_keep_cores(err);
	if (ret == 0)
		ret = init_mount_host(root, err);
	for (i = 0; ret == 0; i++) {
		auto_free char *name = xasprintf(GUEST_ARG_SHARE "%d", i);
		auto_free char *share = file_kernel_word(name);

		if (!share)
			break;
		ret = init_mount_share(root, i, share, err);
	}
	if (ret < 0)
		return ret;
	ret = modules ? init_show_modules(modules, err) : 0;
	if (ret < 0)
		return ret;
	if (programs)
		return setenv(PROGRAM_ROOT_VARIABLE, INIT_HOST_ROOT, 1);
	if (chroot(INIT_HOST_ROOT) < 0 || chdir("/") < 0)
		return vbm_fail(err, errno, "cannot enter the host's file system: %m");
	return 0;
}

/* The descriptors of the runner. */
struct lines {
	int in, out;
	int terminal;	/* or -1 */
};

static int open_lines(struct lines *l, struct vbm_error *err)
{
	auto_free char *events = file_kernel_word(GUEST_ARG_EVENTS);
	auto_free char *terminal = file_kernel_word(GUEST_ARG_TERMINAL), *number = NULL;
	int ret;

	if (!events)
		return vbm_fail(err, EINVAL, "no " GUEST_ARG_EVENTS " on the kernel's command line");
	ret = init_open_line(events, &l->in, &l->out, err);
	if (ret == 0 && terminal)
		ret = init_open_line(terminal, &l->terminal, NULL, err);
	if (ret == 0 && terminal) {
		number = xasprintf("%d", l->terminal);
		setenv("VERBATIM_TERMINAL_FD", number, 1);
	}
	return ret;
}

static int name_processor(struct vbm_error *err)
{
	auto_free char *mhz = file_kernel_word(GUEST_ARG_MHZ);

	return mhz ? init_mount_cpuinfo(mhz, err) : 0;
}

static void set_environment(void)
{
	auto_free char *factor = file_kernel_word(GUEST_ARG_FACTOR);
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};

	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("TMPDIR", "/tmp", 1);
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	if (factor)
		clock_set_factor((int)strtol(factor, NULL, 10));
}

static int open_coverage(struct vbm_error *err)
{
	auto_free char *dir = file_kernel_word(GUEST_ARG_COVERAGE);

	return dir ? init_mount_coverage(dir, err) : 0;
}

/* False: the kernel has all hosts, and a runner makes them. */
static bool is_host(void)
{
	auto_free char *number = file_kernel_word(GUEST_ARG_HOST);

	return number;
}

static int make_host(struct vbm_error *err)
{
	auto_free char *number = file_kernel_word(GUEST_ARG_HOST), *device = file_kernel_word(GUEST_ARG_DEVICE);
	const struct device_type *type;
	int host = number ? (int)strtol(number, NULL, 10) : 0, ret;
	char name[8];

	if (!number)
		return 0;
	host_name(host, name);
	ret = device_type_parse(device ? device : "", &type, err);
	if (ret == 0 && sethostname(name, strlen(name)) < 0)
		ret = vbm_fail(err, errno, "cannot set the name of the host: %m");
	return ret < 0 ? ret : configure_own_host(host, GUEST_WIRE_NETDEV, type, err);
}

static int prepare_guest(struct lines *l, struct vbm_error *err)
{
	int ret;

	ret = init_load_modules(err);
	if (ret == 0)
		ret = init_loopback_up(err);
	if (ret == 0)
		ret = name_processor(err);
	if (ret == 0)
		ret = open_coverage(err);
	if (ret == 0)
		ret = make_host(err);
	if (ret == 0)
		ret = open_lines(l, err);
	return ret ? ret : enter_host(err);
}

static void reap_until(pid_t runner)
{
	int status;
	pid_t pid;

	for (;;) {
		pid = wait(&status);
		if (pid < 0 && errno == ECHILD)
			return;
		if (pid != runner)
			continue;
		if (WIFSIGNALED(status))
			printf(GUEST_SAYS_KILLED "%d (%s)\n", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
		else
			printf(GUEST_SAYS_ENDED "%d\n", WEXITSTATUS(status));
		return;
	}
}

static void __attribute__((noreturn)) run_runner(const struct lines *l, pid_t parent)
{
	const int keep[] = {l->in, l->out, l->terminal};

	setsid();
	child_begin(&(struct child_setup){
		.parent = parent,
		.name = "verbatim-runner",
		.keep = keep,
		.keep_count = ARRAY_SIZE(keep),
	});
	if (!is_host())
		exit(runner_main(l->in, l->out));
	dup2(l->in, STDIN_FILENO);
	dup2(l->out, STDOUT_FILENO);
	exit(station_main(""));
}

int init_main(int argc, char **argv)
{
	struct lines lines = {-1, -1, -1};
	struct vbm_error err = {0};
	pid_t parent = getpid(), pid;
	int ret;

	(void)argc;
	(void)argv;
	ret = init_mount_basics(&err);
	open_console();
	setvbuf(stdout, NULL, _IOLBF, 0);
	set_environment();
	if (ret == 0)
		ret = prepare_guest(&lines, &err);
	if (ret < 0) {
		printf(GUEST_SAYS_FAILED "%s\n", err.msg);
		end_guest();
	}
	pid = fork();
	if (pid == 0)
		run_runner(&lines, parent);
	close(lines.in);
	if (lines.out != lines.in)
		close(lines.out);
	reap_until(pid);
	end_guest();
}
