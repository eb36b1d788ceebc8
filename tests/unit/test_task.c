/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: process/task.c */
#include "cmocka_all.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "process/task.h"

TEST(test_system_call__line_of_proc__is_read)
{
	struct system_call call;

	assert_true(system_call_parse(&call, "0 0x5 0x40286000 0x20000 0x1 0x2 0x3 0x7f 0x40\n"));
	assert_int_equal(call.number, 0);
	assert_int_equal(call.first, 5);
	assert_true(system_call_parse(&call, "-1 0x7ffd 0x40\n"));
	assert_int_equal(call.number, -1);
	assert_false(system_call_parse(&call, "running\n"));
	assert_false(system_call_parse(&call, ""));
}

TEST(test_system_call__names__are_those_of_the_kernel)
{
	assert_string_equal(system_call_name(SYS_read), "read");
	assert_true(system_call_has_fd(SYS_read));
	assert_string_equal(system_call_name(SYS_futex), "futex");
	assert_false(system_call_has_fd(SYS_futex));
	assert_null(system_call_name(100000));
	assert_false(system_call_has_fd(100000));
}

/* Waits until the child sleeps: it has nothing else to do. */
static void await_sleep(pid_t pid)
{
	struct task_stat t;

	do {
		assert_true(task_stat(&t, pid, pid));
		sched_yield();
	} while (t.state != 'S');
}

TEST(test_task__that_reads__names_call_and_file)
{
	auto_free char *doing = NULL, *wanted = NULL, *link = NULL;
	char target[64] = "", byte;
	struct task_stat t;
	int p[2], status;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (pid == 0)
		_exit(read(p[0], &byte, 1) == 1);
	await_sleep(pid);
	doing = task_doing(pid, pid);
	link = xasprintf("/proc/self/fd/%d", p[0]);
	assert_true(readlink(link, target, sizeof(target) - 1) > 0);
	wanted = xasprintf("waits in read of %d (%s)", p[0], target);
	assert_true(task_stat(&t, pid, pid));
	/* Before an assertion can end this test: the child has its output open. */
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_string_equal(doing, wanted);
	assert_int_equal(t.parent, getpid());
	close(p[0]);
	close(p[1]);
}

TEST(test_debugger__output__only_threads_and_frames_are_kept)
{
	char gdb[] = "[New LWP 48]\nwarning: x\n\nThread 2 (Thread 0x7f (LWP 48) \"rping\"):\n"
		     "#0  read () at read.c:26\n        buf = 0\n#1  0x4 in main ()\n"
		     "[Inferior 1 (process 47) detached]\n";
	char plain[] = "Thread 1 (process 7 \"x\"):\n#0  poll ()\n";
	char eu[] = "PID 9 - process\nTID 9:\n#0  0x0000 pause - /lib/libc.so.6\n";
	auto_text struct text out = {0};

	task_add_frames(&out, gdb, "  ");
	task_add_frames(&out, plain, "  ");
	task_add_frames(&out, eu, "  ");
	assert_string_equal(out.s, "  thread 48 is here:\n    #0  read () at read.c:26\n"
				   "    #1  0x4 in main ()\n  thread 7 is here:\n    #0  poll ()\n"
				   "  thread 9 is here:\n    #0  0x0000 pause - /lib/libc.so.6\n");
}

/* gdb prints whole structs: a line of a report has 160 bytes of a frame. */
TEST(test_debugger__long_frames__are_cut)
{
	auto_free char *frame = xcalloc(301, 1);
	auto_text struct text out = {0};

	memset(frame, '#', 300);
	task_add_frames(&out, frame, "  ");
	assert_int_equal(out.len, strlen("    ") + 160 + strlen("\n"));
}
