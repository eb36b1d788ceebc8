/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "lib/base/fail.h"

#define STDIO 3		/* descriptors */

/* The line @name of /proc/self/status; if it cannot be read, all signals. */
static uint64_t signals_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtoull(line + strlen(name), NULL, 16) : ~0ull;
}

/*
 * Most signals have their default action already. Below a user-mode kernel, the 60 calls
 * that set it again would take a third of an agent's start.
 */
static uint64_t signals_ignored_or_caught(void)
{
	char status[4096] = "";
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, status, sizeof(status) - 1);

	if (fd >= 0)
		close(fd);
	status[n > 0 ? n : 0] = '\0';
	return signals_of(status, "\nSigIgn:") | signals_of(status, "\nSigCgt:");
}

static void set_signals(const struct child_setup *setup)
{
	uint64_t other = signals_ignored_or_caught();
	sigset_t none;
	size_t i;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		if (other >> (sig - 1) & 1)
			signal(sig, SIG_DFL);
	for (i = 0; i < sizeof(setup->ignore) / sizeof(setup->ignore[0]) && setup->ignore[i]; i++)
		signal(setup->ignore[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* All descriptors are copied first, because the number of one may be the target of another. */
static int set_stdio(const int *fds)
{
	int copy[STDIO], null = open("/dev/null", O_RDWR | O_CLOEXEC), i;

	if (null < 0)
		return -errno;
	for (i = 0; i < STDIO; i++) {
		copy[i] = fcntl(fds[i] < 0 ? null : fds[i], F_DUPFD_CLOEXEC, STDIO);
		if (copy[i] < 0)
			return -errno;
	}
	for (i = 0; i < STDIO; i++)
		if (dup2(copy[i], i) < 0)
			return -errno;
	return 0;
}

/* The lowest descriptor of @keep that is not below @low, or -1. */
static int lowest(const int *keep, size_t count, int low)
{
	int best = -1;
	size_t i;

	for (i = 0; i < count; i++)
		if (keep[i] >= low && (best < 0 || keep[i] < best))
			best = keep[i];
	return best;
}

/* If a child keeps a pipe open by accident, its readers never see the end. */
static void close_others(const int *keep, size_t count)
{
	int low = STDIO, next;

	for (; (next = lowest(keep, count, low)) >= 0; low = next + 1)
		if (next > low)
			close_range((unsigned int)low, (unsigned int)next - 1, 0);
	close_range((unsigned int)low, ~0U, 0);
}

int child_begin(const struct child_setup *setup)
{
	const struct rlimit no_core = {0, 0};
	int ret = 0;

	set_signals(setup);
	if (setup->parent != CHILD_OUTLIVES) {
		prctl(PR_SET_PDEATHSIG, setup->death_signal ? setup->death_signal : SIGKILL);
		/* The kernel sends no signal when the parent has ended before prctl(2). */
		if (getppid() != setup->parent)
			_exit(1);
	}
	if (setup->name)
		prctl(PR_SET_NAME, setup->name);
	if (setup->no_core)
		setrlimit(RLIMIT_CORE, &no_core);
	if (setup->stdio)
		ret = set_stdio(setup->stdio);
	close_others(setup->keep, setup->keep_count);
	return ret;
}

void child_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void child_service_begin(const char *name, pid_t parent, const int *keep, size_t count)
{
	if (child_begin(&(struct child_setup){
			.parent = parent,
			.name = name,
			.keep = keep,
			.keep_count = count,
			.ignore = {SIGPIPE, SIGINT},
		}) < 0)
		_exit(1);
}

int child_log(const char *name, struct vbm_error *err)
{
	auto_close int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_SETFL, O_APPEND) < 0)
		return vbm_fail(err, errno, "cannot make a log (%s): %s", name, strerror(errno));
	return steal_fd(&fd);
}

char *child_log_read(int fd, const char *whose, struct vbm_error *err)
{
	char *text;
	int ret = file_fd_read_whole(fd, SIZE_MAX, &text, NULL);

	if (ret == 0)
		return text;
	vbm_fail(err, -ret, "cannot read the %s's log: %s", whose, strerror(-ret));
	return NULL;
}

int child_log_clear(int fd, const char *whose, struct vbm_error *err)
{
	if (ftruncate(fd, 0) == 0)
		return 0;
	return vbm_fail(err, errno, "cannot clear the %s's log: %s", whose, strerror(errno));
}
