/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: worker/signals.c */
#include "cmocka_all.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/signals.h"

/*
 * timeout(1) sends the signal first to the process, then to its group; make(1) passes on
 * a signal that its commands have had already.
 */
TEST(test_signals__at_once__are_one)
{
	struct signals signals;
	int status;
	pid_t pid;

	assert_int_equal(signals_open(&signals, NULL), 0);
	raise(SIGTERM);
	assert_true(signals_take(&signals));
	raise(SIGTERM);
	assert_false(signals_take(&signals));
	pid = fork();
	if (pid == 0)
		_exit(kill(getppid(), SIGINT));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(signals_take(&signals));
	signals.sender = 0;	/* the first one was Ctrl-C */
	raise(SIGTERM);
	assert_false(signals_take(&signals));
	signals.taken_ns -= 1000000000;
	raise(SIGTERM);
	assert_true(signals_take(&signals));
	signals.caught = 0;
	signals_close(&signals);
}

/* The exit status of a child that gets @sig twice while it catches signals. */
static int status_after(int sig, bool ignored)
{
	struct signals signals;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		signal(sig, ignored ? SIG_IGN : SIG_DFL);
		signals_open(&signals, NULL);
		raise(sig);
		signals_take(&signals);
		raise(sig);
		signals_close(&signals);
		_exit(7);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

TEST(test_signals__close__dies_of_what_was_caught)
{
	int status = status_after(SIGHUP, false);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGHUP);
	status = status_after(SIGHUP, true);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}
