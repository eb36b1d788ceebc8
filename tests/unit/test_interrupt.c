/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job/interrupt.c */
#include "cmocka_all.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job/interrupt.h"

/* Each test runs in a child, because its signal handlers would stay for the others. */
typedef int (*body_fn)(void);

static int status_of(body_fn body)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(body());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int nothing_came(void)
{
	interrupt_catch();
	return interrupt_came() || *interrupt_flag() || getpgid(0) != getpid();
}

static int signal_comes(void)
{
	static const int all[] = {SIGINT, SIGTERM, SIGHUP};
	struct pollfd none = {.fd = -1};
	size_t i;

	interrupt_catch();
	for (i = 0; i < 3; i++) {
		/* All signals but the first find the job on its way to its end. */
		errno = ENOENT;
		raise(all[i]);
		if (errno != ENOENT || !interrupt_came() || !*interrupt_flag())
			return 1;
	}
	/* No wait begins any more. */
	return interrupt_poll(&none, 1, -1) != -1 || errno != EINTR;
}

/* A signal that comes while it waits, from the other side of a pipe. */
static int signal_wakes(void)
{
	struct pollfd none = {.fd = -1};
	pid_t runner = getpid();

	interrupt_catch();
	if (fork() == 0) {
		setpgid(0, 0);
		_exit(kill(runner, SIGTERM));
	}
	return interrupt_poll(&none, 1, -1) != -1 || errno != EINTR || !interrupt_came();
}

/* The agents of a runner are in its group and have its handler: they end. */
static int agents_end(void)
{
	int status, ready[2];
	pid_t agent;
	char byte;

	interrupt_catch();
	if (pipe(ready) < 0)
		return 1;
	agent = fork();
	if (agent == 0) {
		if (write(ready[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	if (read(ready[0], &byte, 1) != 1)
		return 1;
	raise(SIGHUP);
	while (waitpid(agent, &status, 0) < 0 && errno == EINTR)
		;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 128 + SIGTERM;
}

/* A reader that does not read must not end the runner. */
static int closed_pipe_is_no_end(void)
{
	int p[2];

	interrupt_catch();
	if (pipe(p) < 0 || close(p[0]) < 0)
		return 1;
	return write(p[1], "x", 1) != -1 || errno != EPIPE;
}

static void must_be_well(int status)
{
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(test_interrupt__nothing__has_come)
{
	must_be_well(status_of(nothing_came));
}

TEST(test_interrupt__each_signal__has_come)
{
	must_be_well(status_of(signal_comes));
}

TEST(test_interrupt__wait__ends)
{
	must_be_well(status_of(signal_wakes));
}

TEST(test_interrupt__agents__end)
{
	must_be_well(status_of(agents_end));
}

TEST(test_interrupt__closed_pipe__is_no_end)
{
	must_be_well(status_of(closed_pipe_is_no_end));
}
