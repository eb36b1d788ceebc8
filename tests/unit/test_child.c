/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: process/child.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "process/child.h"

static void on_signal(int sig)
{
	(void)sig;
}

/* The open descriptors below 64, as "0 1 2 5". */
static void add_open(struct text *t)
{
	int fd;

	for (fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			text_addf(t, "%s%d", t->len ? " " : "", fd);
}

/* Runs @fn in a child, which writes its findings to descriptor 1. */
static char *in_child(const struct child_setup *setup, void (*fn)(struct text *t))
{
	struct child_setup own = *setup;
	struct text t = {0};
	char buf[256];
	pid_t parent = getpid(), pid;
	int p[2], status;
	ssize_t n;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		const int stdio[] = {-1, p[1], -1};

		own.parent = own.parent ? own.parent : parent;
		own.stdio = stdio;
		if (child_begin(&own) == 0) {
			fn(&t);
			dprintf(1, "%s", t.s ? t.s : "");
		}
		_exit(0);
	}
	close(p[1]);
	while ((n = read(p[0], buf, sizeof(buf))) > 0)
		text_add_bytes(&t, buf, (size_t)n);
	assert_int_equal(n, 0);
	close(p[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return t.s ? t.s : xstrdup("");
}

TEST(test_child__descriptors__only_those_that_are_named_stay)
{
	int keep[] = {40, -1, 20}, other = open("/dev/null", O_RDONLY), fd;
	auto_free char *none = NULL, *two = NULL;

	for (fd = 20; fd <= 40; fd += 4)
		assert_int_equal(dup2(other, fd), fd);
	none = in_child(&(struct child_setup){0}, add_open);
	two = in_child(&(struct child_setup){.keep = keep, .keep_count = 3}, add_open);
	for (fd = 20; fd <= 40; fd += 4)
		close(fd);
	close(other);
	assert_string_equal(none, "0 1 2");
	assert_string_equal(two, "0 1 2 20 40");
}

static void add_signals(struct text *t)
{
	struct sigaction sa;
	sigset_t mask;
	int sig;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (sig = 1; sig < NSIG; sig++) {
		if (sigaction(sig, NULL, &sa) == 0 && sa.sa_handler != SIG_DFL)
			text_addf(t, "%s %s. ", sa.sa_handler == SIG_IGN ? "ignored" : "caught",
				  sigabbrev_np(sig));
		if (sigismember(&mask, sig) == 1)
			text_addf(t, "blocked %s. ", sigabbrev_np(sig));
	}
}

TEST(test_child__signals__have_their_default_action)
{
	auto_free char *none = NULL, *two = NULL;
	sigset_t all, old;

	signal(SIGTERM, on_signal);
	signal(SIGUSR1, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	none = in_child(&(struct child_setup){0}, add_signals);
	two = in_child(&(struct child_setup){.ignore = {SIGPIPE, SIGINT}}, add_signals);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	assert_string_equal(none, "");
	assert_string_equal(two, "ignored INT. ignored PIPE. ");
}

static void add_rest(struct text *t)
{
	struct rlimit core;
	char name[32] = "";
	int sig = 0;

	getrlimit(RLIMIT_CORE, &core);
	prctl(PR_GET_NAME, name);
	prctl(PR_GET_PDEATHSIG, &sig);
	text_addf(t, "%s, %s, core %s", name, sig ? sigabbrev_np(sig) : "none",
		  core.rlim_cur == 0 ? "no" : "as before");
}

TEST(test_child__name_core_and_death__are_as_asked)
{
	auto_free char *plain = NULL, *full = NULL, *outlives = NULL;
	struct rlimit old, some;
	char expected[64], name[32] = "";

	prctl(PR_GET_NAME, name);
	getrlimit(RLIMIT_CORE, &old);
	some = (struct rlimit){old.rlim_max ? 4096 : 0, old.rlim_max};
	setrlimit(RLIMIT_CORE, &some);
	plain = in_child(&(struct child_setup){0}, add_rest);
	full = in_child(&(struct child_setup){.name = "verbatim-x", .death_signal = SIGTERM,
					      .no_core = true}, add_rest);
	outlives = in_child(&(struct child_setup){.parent = CHILD_OUTLIVES}, add_rest);
	setrlimit(RLIMIT_CORE, &old);
	snprintf(expected, sizeof(expected), "%s, KILL, core %s", name,
		 some.rlim_cur ? "as before" : "no");
	assert_string_equal(plain, expected);
	assert_string_equal(full, "verbatim-x, TERM, core no");
	assert_non_null(strstr(outlives, ", none, "));
}

TEST(test_child__stdio__may_be_in_each_others_place)
{
	int p[2], q[2], stdio[3], status;
	char byte = 'x';
	pid_t parent = getpid(), pid;

	assert_int_equal(pipe(p), 0);
	assert_int_equal(pipe(q), 0);
	pid = fork();
	if (pid == 0) {
		/*
		 * The descriptors have to change places: 1 becomes 0, 2 becomes 1, and 0
		 * becomes 2.
		 */
		dup2(p[0], 1);
		dup2(q[1], 2);
		dup2(p[1], 0);
		stdio[0] = 1;
		stdio[1] = 2;
		stdio[2] = 0;
		if (child_begin(&(struct child_setup){.parent = parent, .stdio = stdio}) == 0 &&
		    write(2, "e", 1) == 1 && read(0, &byte, 1) == 1 && byte == 'e' &&
		    write(1, "o", 1) == 1)
			_exit(0);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(q[0], &byte, 1), 1);
	assert_int_equal(byte, 'o');
	close(p[0]);
	close(p[1]);
	close(q[0]);
	close(q[1]);
}

/*
 * A process forks a child that has the write side of @held open, and ends: before the
 * child calls child_begin(), or after it.
 */
static void orphan(int held, bool before)
{
	int gone[2], ready[2];
	char byte;
	pid_t parent = getpid();

	if (pipe(gone) < 0 || pipe(ready) < 0 || fork() != 0) {
		close(ready[1]);
		close(gone[0]);
		/* Wait until the child has come so far. */
		while (!before && read(ready[0], &byte, 1) < 0 && errno == EINTR)
			;
		_exit(0);	/* closes @gone */
	}
	alarm(30);	/* ends the child if the test fails */
	close(gone[1]);
	while (before && read(gone[0], &byte, 1) > 0)
		;
	child_begin(&(struct child_setup){.parent = parent, .keep = (int[]){held, ready[1]},
					  .keep_count = 2});
	if (!before && write(ready[1], "r", 1) < 0)
		_exit(1);
	for (;;)
		pause();
}

TEST(test_child__parent_ends_before_or_after__takes_it_along)
{
	char byte;
	int p[2], before;
	pid_t pid;

	for (before = 0; before < 2; before++) {
		assert_int_equal(pipe(p), 0);
		pid = fork();
		if (pid == 0) {
			close(p[0]);
			orphan(p[1], before);
		}
		close(p[1]);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		/* The end of the pipe shows that the orphan has ended. */
		assert_int_equal(poll(&(struct pollfd){.fd = p[0], .events = POLLIN}, 1, 10000), 1);
		assert_int_equal(read(p[0], &byte, 1), 0);
		close(p[0]);
	}
}

TEST(test_child__end__kills_and_reaps)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	child_end(0);
	child_end(pid);
	assert_int_equal(waitpid(pid, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
}
