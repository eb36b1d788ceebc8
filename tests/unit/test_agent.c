/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: agent/agent.c agent/agent-main.c agent/agent-names.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"

static const struct host_info host = {
	.name = "a", .dev = "rxe0", .ip4 = "10.0.0.1", .ip6 = "fd00::1", .port = 1,
};

static struct agent *start_number(int log_fd, int number)
{
	struct agent_options opts = {.host = host, .target = "system",
				     .log_fd = log_fd, .number = number};
	struct agent *a = NULL;
	struct vbm_error err = {0};

	if (agent_start(&a, &opts, &err) < 0)
		fail_msg("%s", err.msg);
	return a;
}

static struct agent *start(int log_fd)
{
	return start_number(log_fd, 0);
}

static int post(struct agent *a, const char *step, int ms, struct vbm_error *err)
{
	auto_value struct value *args = value_map();

	if (strcmp(step, "note") == 0)
		value_set_string(args, "text", "hello");
	return agent_post(a, step_find(step), args, NULL, clock_now_ns(), ms, err);
}

static int call(struct agent *a, const char *step, struct value *args, int ms,
		struct value **result, struct vbm_error *err)
{
	auto_value struct value *own = args;
	const struct step_kind *k = step_find(step);

	assert_non_null(k);
	return agent_call(a, k, own, NULL, clock_now_ns(), ms, result, err);
}

TEST(test_agent__a_step__answers_and_logs)
{
	auto_value struct value *r = NULL;
	struct value *args = value_map();
	struct vbm_error err = {0};
	char text[64] = "";
	struct agent *a;
	int log[2];

	assert_int_equal(pipe(log), 0);
	a = start(log[1]);
	close(log[1]);
	value_set_string(args, "text", "hello");
	assert_int_equal(call(a, "note", args, 5000, &r, &err), 0);
	assert_int_equal(value_get_int(r, "return", -1), 0);
	agent_stop(a);
	assert_int_equal(read(log[0], text, sizeof(text) - 1), 6);
	assert_string_equal(text, "hello\n");
	assert_int_equal(read(log[0], text, sizeof(text)), 0);
	close(log[0]);
}

TEST(test_agent__a_crash__is_reported_with_its_signal)
{
	struct value *r = NULL;
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	assert_int_equal(call(a, "crash", NULL, 5000, &r, &err), -ECHILD);
	assert_string_equal(err.msg, "the agent of host a died in crash: killed by SIGABRT (Aborted)");
	assert_null(r);
	assert_int_equal(call(a, "note", NULL, 5000, &r, &err), -ECHILD);
	assert_non_null(strstr(err.msg, "no agent any more: killed by SIGABRT"));
	agent_stop(a);
}

TEST(test_agent__an_exit__is_reported_with_its_status)
{
	struct value *r = NULL, *args = value_map();
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	value_set_int(args, "status", 3);
	assert_int_equal(call(a, "exit", args, 5000, &r, &err), -ECHILD);
	assert_non_null(strstr(err.msg, "exited with status 3"));
	agent_stop(a);
}

TEST(test_agent__a_hang__ends_at_its_deadline)
{
	struct value *r = NULL;
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	assert_int_equal(call(a, "stall", NULL, 50, &r, &err), -ETIME);
	assert_non_null(strstr(err.msg, "did not come back from stall and was ended (it waits"));
	assert_int_equal(call(a, "note", NULL, 50, &r, &err), -ECHILD);
	assert_non_null(strstr(err.msg, "it hung in stall"));
	agent_stop(a);
}

/*
 * As after a pause of the machine: the agent gets processor time again only after its
 * deadline.
 */
TEST(test_agent__a_late_answer__still_counts)
{
	auto_value struct value *r = NULL;
	struct vbm_error err = {0};
	struct agent *a = start(-1);
	pid_t pid = agent_pid(a), helper;

	clock_set_factor(100);
	kill(pid, SIGSTOP);
	helper = fork();
	if (helper == 0) {
		poll(NULL, 0, 300);
		kill(pid, SIGCONT);
		_exit(0);
	}
	assert_int_equal(post(a, "note", 1, &err), 0);
	assert_int_equal(agent_collect(a, &r, &err), 0);
	clock_set_factor(1);
	waitpid(helper, NULL, 0);
	agent_stop(a);
}

TEST(test_agent__a_garbled_answer__is_a_protocol_error)
{
	struct value *r = NULL;
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	assert_int_equal(call(a, "garble", NULL, 5000, &r, &err), -EPROTO);
	assert_string_equal(err.msg, "the agent's answer is garbled: '{\"garbled'");
	assert_int_equal(call(a, "note", NULL, 5000, &r, &err), -ECHILD);
	agent_stop(a);
}

TEST(test_agent__a_missing_object__is_the_steps_failure)
{
	auto_value struct value *r = NULL;
	struct vbm_error err = {0};
	struct value *none = NULL;
	struct agent *a = start(-1);

	assert_int_equal(call(a, "dealloc_pd", NULL, 5000, &none, &err), -ENOENT);
	assert_string_equal(err.msg, "pd: the host has no protection domain: an earlier step must make one");
	assert_int_equal(call(a, "gai_strerror", NULL, 5000, &r, &err), 0);
	assert_int_equal(value_get_int(r, "return", -1), 1);
	agent_stop(a);
}

TEST(test_agent__getaddrinfo__reaches_the_library)
{
	auto_value struct value *r = NULL;
	struct value *args = value_map();
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	/* A call with all arguments NULL is refused before any device is searched. */
	value_set_bool(args, "hints", false);
	assert_int_equal(call(a, "getaddrinfo", args, 5000, &r, &err), 0);
	assert_int_equal(value_get_int(r, "return", 0), -1);
	assert_int_equal(value_get_int(r, "errno", 0), EINVAL);
	assert_true(value_get_bool(r, "res_untouched", false));
	agent_stop(a);
}

TEST(test_agent__a_bad_target__is_refused_at_the_start)
{
	struct agent_options opts = {.host = host, .target = "sistem", .log_fd = -1};
	struct vbm_error err = {0};
	struct agent *a = NULL;

	assert_int_equal(agent_start(&a, &opts, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "unknown target 'sistem'"));
	opts.target = "/nowhere/lib.so";
	assert_true(agent_start(&a, &opts, &err) < 0);
	assert_non_null(strstr(err.msg, "target /nowhere/lib.so cannot be loaded"));
	assert_null(a);
}

/* A log that blocks until it is read: "note" waits there. */
static void full_pipe(int fds[2])
{
	char block[4096];

	memset(block, '.', sizeof(block));
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	while (write(fds[1], block, sizeof(block)) > 0)
		;
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(fcntl(fds[1], F_SETFL, 0), 0);
}

static void close_both(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

static void drain(int fd)
{
	char block[65536];

	assert_true(read(fd, block, sizeof(block)) > 0);
}

TEST(test_agent__two_posts__are_under_way_at_once)
{
	auto_value struct value *of_a = NULL, *of_b = NULL;
	struct vbm_error err = {0};
	struct agent *a, *b;
	int wait_a[2], wait_b[2];

	full_pipe(wait_a);
	full_pipe(wait_b);
	a = start(wait_a[1]);
	b = start_number(wait_b[1], 1);
	assert_int_equal(post(a, "note", 5000, &err), 0);
	assert_int_equal(post(b, "note", 5000, &err), 0);
	/* Neither agent can end before its log is read, and b's log is read first. */
	drain(wait_b[0]);
	assert_int_equal(agent_collect(b, &of_b, &err), 0);
	drain(wait_a[0]);
	assert_int_equal(agent_collect(a, &of_a, &err), 0);
	assert_int_equal(value_get_int(of_a, "return", -1), 0);
	assert_int_equal(value_get_int(of_b, "return", -1), 0);
	agent_stop(a);
	agent_stop(b);
	close_both(wait_a);
	close_both(wait_b);
}

TEST(test_agent__posts_and_collects__must_alternate)
{
	struct value *r = NULL;
	struct vbm_error err = {0};
	struct agent *a = start_number(-1, 1);

	assert_int_equal(agent_collect(a, &r, &err), -EINVAL);
	assert_string_equal(err.msg, "the agent of host a.1 has no step to answer");
	assert_int_equal(post(a, "gai_strerror", 5000, &err), 0);
	assert_int_equal(post(a, "gai_strerror", 5000, &err), -EBUSY);
	assert_string_equal(err.msg, "the agent of host a.1 is still busy with gai_strerror");
	assert_int_equal(agent_collect(a, &r, &err), 0);
	value_free(r);
	agent_stop(a);
}

TEST(test_agent__killed_at_a_call__tells_its_end)
{
	struct value *r = NULL;
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	assert_null(agent_end(a));
	assert_int_equal(post(a, "stall", 60000, &err), 0);
	assert_int_equal(agent_kill(a, SIGTERM, &err), 0);
	assert_int_equal(agent_end(a)->signal, SIGTERM);
	assert_true(agent_end(a)->by_runner);
	assert_int_equal(agent_collect(a, &r, &err), -ECHILD);
	assert_string_equal(err.msg, "the agent of host a died in stall: killed by SIGTERM (Terminated)");
	assert_int_equal(agent_kill(a, SIGTERM, &err), -ESRCH);
	agent_stop(a);
}

TEST(test_agent__a_signal_it_ignores__ends_it_in_time)
{
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	assert_int_equal(agent_kill(a, SIGURG, &err), -ETIME);
	assert_string_equal(err.msg, "the agent of host a survived signal 23 and was killed");
	assert_int_equal(agent_end(a)->signal, SIGKILL);
	agent_stop(a);
}

/* The number after @key in a file of /proc; hexadecimal with @base 16. */
static unsigned long proc_number(const char *path, const char *key, int base)
{
	FILE *f = fopen(path, "re");
	char line[128];
	unsigned long n = ~0UL;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			n = strtoul(line + strlen(key), NULL, base);
	fclose(f);
	return n;
}

/*
 * librdmacm sends without MSG_NOSIGNAL, so an agent that ignores SIGPIPE would hide a
 * crash of the program.
 */
TEST(test_agent__signals__are_those_of_an_ordinary_program)
{
	struct agent *a = start(-1);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", agent_pidfd(a));
	snprintf(path, sizeof(path), "/proc/%lu/status", proc_number(path, "Pid:", 10));
	/*
	 * libpthread reserves two signals above the standard ones, which no program can
	 * change.
	 */
	assert_int_equal(proc_number(path, "SigIgn:", 16) & 0x7fffffff, 0);
	assert_int_equal(proc_number(path, "SigBlk:", 16) & 0x7fffffff, 0);
	assert_int_equal(proc_number(path, "SigCgt:", 16) & 0x7fffffff, 0);
	agent_stop(a);
}

TEST(test_agent__an_end_of_its_own__is_seen_without_a_call)
{
	struct value *r = NULL, *args = value_map();
	struct pollfd p = {.events = POLLIN};
	struct vbm_error err = {0};
	struct agent *a = start(-1), *b = start(-1);

	value_set_int(args, "status", 3);
	assert_int_equal(call(a, "exit", args, 5000, &r, &err), -ECHILD);
	assert_int_equal(agent_end(a)->status, 3);
	assert_int_equal(agent_end(a)->signal, 0);
	assert_false(agent_end(a)->by_runner);
	assert_int_equal(post(b, "crash", 5000, &err), 0);
	p.fd = agent_pidfd(b);
	assert_int_equal(poll(&p, 1, 5000), 1);
	assert_int_equal(agent_end(b)->signal, SIGABRT);
	assert_false(agent_end(b)->by_runner);
	agent_stop(a);
	agent_stop(b);
}

TEST(test_agent__offers__are_known_at_the_start)
{
	struct agent *a = start(-1);

	assert_string_equal(value_get_string(agent_offers(a), "target", ""), "system");
	assert_non_null(value_get_string(agent_offers(a), "calls", NULL));
	assert_non_null(strstr(value_get_string(agent_offers(a), "file", ""), "librdmacm"));
	agent_stop(a);
}

static bool reset(struct agent *a)
{
	assert_int_equal(agent_post_reset(a), 0);
	return agent_collect_reset(a);
}

TEST(test_agent__a_reset__releases_all_objects)
{
	auto_value struct value *made = NULL, *r = NULL, *again = NULL;
	struct agent *a = start(-1);
	struct vbm_error err = {0};

	assert_int_equal(call(a, "get_device_list", value_map(), 5000, &made, &err), 0);
	assert_true(reset(a));
	agent_resume(a);
	assert_int_equal(call(a, "free_device_list", value_map(), 5000, &r, &err), -ENOENT);
	assert_int_equal(call(a, "get_device_list", value_map(), 5000, &again, &err), 0);
	agent_stop(a);
}

TEST(test_agent__a_step_that_leaves_a_file_open__is_seen_by_the_reset)
{
	auto_value struct value *r = NULL;
	struct value *args = value_map();
	struct agent *a = start(-1);
	struct vbm_error err = {0};

	value_set_string(args, "group", "224.0.0.9");
	assert_int_equal(call(a, "join_group", args, 5000, &r, &err), 0);
	assert_false(reset(a));
	agent_stop(a);
}

TEST(test_agent__an_agent_that_died__cannot_be_reset)
{
	auto_value struct value *r = NULL;
	struct agent *a = start(-1);
	struct vbm_error err = {0};

	assert_int_equal(call(a, "exit", value_map(), 5000, &r, &err), -ECHILD);
	assert_int_equal(agent_post_reset(a), -ECHILD);
	agent_stop(a);
}
