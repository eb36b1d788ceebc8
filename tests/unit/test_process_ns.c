/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: program/process-ns.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program/process-ns.h"

#define PATIENCE_MS 20000

/* All processes of a test have @held open; @rope ends those that would stay. */
static int held[2], rope[2];

static void prepare(void)
{
	if (geteuid() != 0) {
		printf("# skipped: making process namespaces needs root\n");
		skip();
	}
	assert_int_equal(pipe2(held, O_CLOEXEC), 0);
	assert_int_equal(pipe2(rope, O_CLOEXEC), 0);
}

static void let_go(void)
{
	close(rope[1]);
	close(rope[0]);
	close(held[0]);
}

/* A child with a session of its own and no parent. Does not return. */
static void __attribute__((noreturn)) be_a_daemon(void)
{
	char byte;

	close(rope[1]);
	setsid();
	if (fork() > 0)
		_exit(0);
	while (write(held[1], "d", 1) < 0 && errno == EINTR)
		;
	while (read(rope[0], &byte, 1) < 0)
		;
	_exit(0);
}

static void wait_for_daemon(void)
{
	struct pollfd p = {.fd = held[0], .events = POLLIN};
	char byte = 0;

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(read(held[0], &byte, 1), 1);
	assert_int_equal(byte, 'd');
}

/* The daemon has ended when the pipe ends. */
static bool daemon_ends(void)
{
	struct pollfd p = {.fd = held[0], .events = POLLIN};

	return poll(&p, 1, PATIENCE_MS) == 1 && p.revents == POLLHUP;
}

TEST(test_process_ns__closed__ends_who_went_his_own_way)
{
	struct process_ns ns;
	int status;
	pid_t pid;

	prepare();
	assert_int_equal(process_ns_open(&ns, &(struct vbm_error){0}), 0);
	pid = process_ns_fork(&ns);
	if (pid == 0)
		be_a_daemon();
	close(held[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	wait_for_daemon();
	process_ns_close(&ns);
	assert_true(daemon_ends());
	let_go();
}

TEST(test_process_ns__owner_killed__ends_who_went_his_own_way)
{
	struct process_ns ns;
	pid_t owner, pid;

	prepare();
	owner = fork();
	if (owner == 0) {
		if (process_ns_open(&ns, &(struct vbm_error){0}) < 0)
			_exit(1);
		pid = process_ns_fork(&ns);
		if (pid == 0)
			be_a_daemon();
		close(held[1]);
		for (;;)
			pause();
	}
	close(held[1]);
	wait_for_daemon();
	kill(owner, SIGKILL);
	assert_int_equal(waitpid(owner, NULL, 0), owner);
	assert_true(daemon_ends());
	let_go();
}

TEST(test_process_ns__fork__is_inside_and_the_next_is_not)
{
	struct process_ns ns;
	int status;
	pid_t pid;

	prepare();
	assert_int_equal(process_ns_open(&ns, &(struct vbm_error){0}), 0);
	pid = process_ns_fork(&ns);
	if (pid == 0)
		_exit(getpid() == 2 && kill(-1, 0) < 0 ? 7 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 7);
	pid = fork();
	if (pid == 0)
		_exit(getppid() > 0 ? 8 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 8);
	process_ns_close(&ns);
	process_ns_close(&ns);
	close(held[1]);
	let_go();
}
