/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/guest.h"

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

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "runner/runner.h"
#include "fail.h"

/* QEMU runs with -no-reboot, so a restart ends it, and quicker than a power-off. */
static void __attribute__((noreturn)) end_guest(void)
{
	fflush(NULL);
	sync();
	reboot(RB_AUTOBOOT);
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

/* The value of NAME=VALUE on the kernel's command line; the caller frees it. */
static char *kernel_arg(const char *name)
{
	auto_free char *line = NULL;
	char *word, *save = NULL;
	size_t n = strlen(name);

	if (file_read("/proc/cmdline", &line, NULL, NULL) < 0)
		return NULL;
	for (word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
		if (!strncmp(word, name, n) && word[n] == '=')
			return xstrdup(word + n + 1);
	return NULL;
}

static int enter_host(struct vbm_error *err)
{
	auto_free char *root = kernel_arg(GUEST_ARG_ROOT), *share = kernel_arg(GUEST_ARG_SHARE);
	int ret;

	if (!root)
		return 0;
	ret = init_mount_host(share, err);
	if (ret < 0)
		return ret;
	if (chroot(INIT_HOST_ROOT) < 0 || chdir("/") < 0)
		return vbm_fail(err, errno, "cannot enter the host's file system: %m");
	return 0;
}

static int find_terminal(struct vbm_error *err)
{
	auto_free char *terminal = kernel_arg(GUEST_ARG_TERMINAL);
	char dev[64];
	int ret;

	if (!terminal)
		return 0;
	ret = init_find_port(GUEST_PORT_TERMINAL, dev, sizeof(dev), err);
	if (ret == 0)
		setenv(GUEST_ENV_TERMINAL, dev, 1);
	return ret;
}

static void set_environment(void)
{
	auto_free char *factor = kernel_arg("verbatim.factor");
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};

	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("TMPDIR", "/tmp", 1);
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	if (factor)
		clock_set_factor((int)strtol(factor, NULL, 10));
}

/* Returns the port that the runner talks through. */
static int prepare(struct vbm_error *err)
{
	auto_close int port = -1;
	char dev[64];
	int ret;

	ret = init_load_modules(err);
	if (ret == 0)
		ret = init_find_port(GUEST_PORT_EVENTS, dev, sizeof(dev), err);
	if (ret < 0)
		return ret;
	port = open(dev, O_RDWR | O_CLOEXEC);
	if (port < 0)
		return vbm_fail(err, errno, "cannot open %s: %m", dev);
	ret = init_loopback_up(err);
	if (ret == 0)
		ret = find_terminal(err);
	if (ret == 0)
		ret = enter_host(err);
	return ret < 0 ? ret : steal_fd(&port);
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

int guest_init_main(int argc, char **argv)
{
	struct vbm_error err = {0};
	pid_t parent = getpid(), pid;
	int port, ret;

	(void)argc;
	(void)argv;
	ret = init_mount_basics(&err);
	open_console();
	setvbuf(stdout, NULL, _IOLBF, 0);
	set_environment();
	port = ret < 0 ? ret : prepare(&err);
	if (port < 0) {
		printf(GUEST_SAYS_FAILED "%s\n", err.msg);
		end_guest();
	}
	pid = fork();
	if (pid == 0) {
		setsid();
		child_begin(&(struct child_setup){
			.parent = parent,
			.name = "verbatim-runner",
			.keep = &port,
			.keep_count = 1,
		});
		exit(runner_main(port, port));
	}
	close(port);
	reap_until(pid);
	end_guest();
}
