/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: process/line.c base/address.c program/spawn.c program/activity.c */
#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/address.h"
#include "process/child.h"
#include "process/line.h"
#include "program/activity.h"
#include "program/spawn.h"
#include "../help/descriptors.h"

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

/* A signal just before the wait ends it, and so does a signal during it. */
TEST(test_stop__signal__ends_the_wait)
{
	struct sigaction sa = {.sa_handler = on_signal}, old;
	struct pollfd none = {.fd = -1};
	pid_t pid, us = getpid();

	stopped = 0;
	assert_int_equal(sigaction(SIGUSR1, &sa, &old), 0);
	raise(SIGUSR1);
	errno = 0;
	assert_int_equal(line_stop_poll(&none, 1, -1, &stopped), -1);
	assert_int_equal(errno, EINTR);
	stopped = 0;
	pid = fork();
	if (pid == 0)
		_exit(kill(us, SIGUSR1));
	assert_int_equal(line_stop_poll(&none, 1, -1, &stopped), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	sigaction(SIGUSR1, &old, NULL);
}

TEST(test_stop__no_signal__is_poll)
{
	struct pollfd p = {.events = POLLIN};
	sigset_t before, after;
	int fds[2], sig;

	stopped = 0;
	assert_int_equal(pipe(fds), 0);
	p.fd = fds[0];
	sigprocmask(SIG_BLOCK, NULL, &before);
	assert_int_equal(line_stop_poll(&p, 1, 0, &stopped), 0);
	assert_int_equal(line_stop_poll(&p, 1, 1, &stopped), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(line_stop_poll(&p, 1, -1, &stopped), 1);
	assert_int_equal(line_stop_poll(&p, 1, -1, NULL), 1);
	/* Signals are as they were. */
	sigprocmask(SIG_BLOCK, NULL, &after);
	for (sig = 1; sig < NSIG; sig++)
		assert_int_equal(sigismember(&before, sig), sigismember(&after, sig));
	close(fds[0]);
	close(fds[1]);
}

TEST(test_abstract__name__has_limits)
{
	struct sockaddr_un sa;
	char name[sizeof(sa.sun_path) + 1];
	socklen_t len;

	memset(name, 'x', sizeof(name));
	name[sizeof(sa.sun_path) - 1] = '\0';
	assert_int_equal(address_abstract(name, &sa, &len), 0);
	assert_int_equal(len, sizeof(sa));
	assert_int_equal(sa.sun_path[0], '\0');
	assert_memory_equal(sa.sun_path + 1, name, sizeof(sa.sun_path) - 1);
	name[sizeof(sa.sun_path) - 1] = 'x';
	name[sizeof(sa.sun_path)] = '\0';
	assert_int_equal(address_abstract(name, &sa, &len), -ENAMETOOLONG);
	assert_int_equal(address_abstract("", &sa, &len), -ENAMETOOLONG);
	/* A longer name is another address. */
	assert_int_equal(address_abstract("ab", &sa, &len), 0);
	assert_int_equal(len, offsetof(struct sockaddr_un, sun_path) + 3);
}

TEST(test_terminal__raw__changes_no_byte)
{
	int before = open_descriptors(), ours, theirs;
	char got[16] = "";

	assert_int_equal(spawn_terminal_raw(&ours, &theirs, NULL), 0);
	assert_true(isatty(theirs));
	/* Reads of our side do not wait. */
	assert_int_equal(read(ours, got, sizeof(got)), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(write(theirs, "a\nb\r\3", 5), 5);
	assert_int_equal(read(ours, got, sizeof(got)), 5);
	assert_memory_equal(got, "a\nb\r\3", 5);
	close(theirs);
	assert_int_equal(read(ours, got, sizeof(got)), -1);
	assert_int_equal(errno, EIO);
	close(ours);
	assert_int_equal(open_descriptors(), before);
}

TEST(test_terminal__plain__edits_lines)
{
	char got[16] = "";
	int ours, theirs;

	assert_int_equal(spawn_terminal(&ours, &theirs, NULL), 0);
	assert_int_equal(write(theirs, "a\n", 2), 2);
	assert_int_equal(read(ours, got, sizeof(got)), 3);
	assert_memory_equal(got, "a\r\n", 3);
	close(theirs);
	close(ours);
}

/* A process with a session of its own that follows orders; it sends a byte when it has begun. */
static pid_t begin_session(bool spins)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		setsid();
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		while (spins)
			;
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

TEST(test_activity__sleeper__is_over_after_a_while)
{
	pid_t pid = begin_session(false);
	struct activity a;

	activity_begin(&a);
	/* First it must do nothing for some time. */
	assert_false(activity_is_over(&a, pid));
	while (!activity_is_over(&a, pid))
		;
	child_end(pid);
}

/* A program that works is not ready before its head start is over. */
TEST(test_activity__worker__has_a_head_start)
{
	pid_t pid = begin_session(true);
	struct activity a;

	activity_begin(&a);
	a.head_start_ns = INT64_MAX;
	assert_false(activity_is_over(&a, pid));
	/* The time without work seems to be over. */
	a.quiet_ns = 1;
	assert_false(activity_is_over(&a, pid));
	a.head_start_ns = clock_now_ns();
	assert_true(activity_is_over(&a, pid));
	child_end(pid);
}
