/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lane/lane-native.c lane/lane.c */
/*
 * How the native lane ends its runner. Its process is traced, so that the test sees its
 * system calls.
 */
#include "cmocka_all.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lane/lane.h"

#define UNDO_MS 10000	/* the time that the native lane allows on a machine that is not slow */
#define NOT_TRACEABLE 77

typedef struct __ptrace_syscall_info call_info;

static void be_traced(void)
{
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
		_exit(NOT_TRACEABLE);
	raise(SIGSTOP);
}

static struct lane *start(const char *factor)
{
	struct lane_options opts = {0};
	struct lane *lane;

	setenv("VERBATIM_FACTOR", factor, 1);
	if (lane_start(&lane, &lane_native, &opts, &(struct vbm_error){0}) < 0)
		_exit(1);
	return lane;
}

/* With TRACESYSGOOD a system call can be told from another stop. */
static void trace(pid_t pid, long more)
{
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | more);
}

static call_info call_of(pid_t pid)
{
	call_info info = {0};

	ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info);
	return info;
}

static bool enters(const call_info *c, uint64_t nr)
{
	return c->op == PTRACE_SYSCALL_INFO_ENTRY && c->entry.nr == nr;
}

static void check_owner_ended_well(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_TRACEABLE) {
		print_message("# skipped: nothing can be traced here\n");
		skip();
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* The timeout of the lane's wait for its runner, as it passed it to the kernel. */
static long told_to_wait(pid_t pid)
{
	long told = -1;
	bool watching = false;
	call_info info;
	int status;

	for (;;) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status))
			break;
		trace(pid, 0);
		info = call_of(pid);
		watching |= enters(&info, SYS_pidfd_open);
#ifdef SYS_poll
		if (watching && enters(&info, SYS_poll))
			told = (int)info.entry.args[2];
#endif
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, 0, 0), 0);
	}
	check_owner_ended_well(status);
	return told;
}

TEST(test_lane_stop__native__waits_as_long_as_the_place_is_slow)
{
	static const struct {
		const char *factor;
		int times;
	} row[] = {{"1", 1}, {"8", 8}};
	struct lane *lane;
	size_t i;
	pid_t pid;

#ifndef SYS_poll
	skip();
#endif
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		fflush(NULL);
		pid = fork();
		if (pid == 0) {
			lane = start(row[i].factor);
			be_traced();
			lane_stop(lane);
			_exit(0);
		}
		assert_int_equal(told_to_wait(pid), UNDO_MS * row[i].times);
	}
}

/* The lane's process and its runner. They continue only when this test lets them. */
struct race {
	pid_t owner, runner;
	bool owner_waits;	/* about to send SIGTERM */
	bool runner_waits;	/* it has sent its hello, and not read its job yet */
	bool term_is_sent;
	bool shot;		/* the lane had to send SIGKILL */
	uint64_t runner_call;
};

/* Whether the lane's process may continue. The runner continues when it has its signal. */
static bool owner_may_go_on(struct race *r, const call_info *c)
{
	if (r->term_is_sent && r->runner_waits && c->op == PTRACE_SYSCALL_INFO_EXIT) {
		r->runner_waits = false;
		assert_int_equal(ptrace(PTRACE_DETACH, r->runner, 0, 0), 0);
	}
	if (!enters(c, SYS_kill))
		return true;
	r->shot |= c->entry.args[1] == SIGKILL;
	if (c->entry.args[1] != SIGTERM)
		return true;
	r->term_is_sent = true;
	r->owner_waits = !r->runner_waits;
	return r->runner_waits;
}

static bool runner_may_go_on(struct race *r, const call_info *c)
{
	if (c->op == PTRACE_SYSCALL_INFO_ENTRY)
		r->runner_call = c->entry.nr;
	r->runner_waits = c->op == PTRACE_SYSCALL_INFO_EXIT && r->runner_call == SYS_write;
	if (r->runner_waits && r->owner_waits) {
		r->owner_waits = false;
		assert_int_equal(ptrace(PTRACE_SYSCALL, r->owner, 0, 0), 0);
	}
	return !r->runner_waits;
}

static void referee(struct race *r)
{
	call_info info;
	int status;
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, &status, __WALL);
		assert_true(pid > 0);
		if (!WIFSTOPPED(status)) {
			assert_int_equal(pid, r->owner);
			break;
		}
		if (pid != r->owner && !r->runner)
			r->runner = pid;
		trace(pid, pid == r->owner ? PTRACE_O_TRACEFORK : 0);
		info = call_of(pid);
		if (pid == r->owner ? owner_may_go_on(r, &info) : runner_may_go_on(r, &info))
			assert_int_equal(ptrace(PTRACE_SYSCALL, pid, 0, 0), 0);
	}
	check_owner_ended_well(status);
}

/*
 * A signal arrives after the runner has checked for one and before it waits for its job.
 * It must end that wait. The lane killed such a runner after UNDO_MS.
 */
TEST(test_lane_stop__native__a_signal_before_the_wait_is_not_lost)
{
	struct race r = {0};

	fflush(NULL);
	r.owner = fork();
	if (r.owner == 0) {
		be_traced();
		lane_stop(start("1"));
		_exit(0);
	}
	referee(&r);
	assert_true(r.term_is_sent);
	assert_false(r.shot);
}
