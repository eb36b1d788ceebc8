/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"

static const struct host_info host = {
	.name = "a", .dev = "rxe0", .ip4 = "10.0.0.1", .ip6 = "fd00::1", .port = 1,
};

static struct agent *start(int log_fd)
{
	struct agent_options opts = {.host = host, .netns_fd = -1, .target = "system", .log_fd = log_fd};
	struct agent *a = NULL;
	struct vbm_error err = {0};

	if (agent_start(&a, &opts, &err) < 0)
		fail_msg("%s", err.msg);
	return a;
}

static int call(struct agent *a, const char *step, struct value *args, int ms,
		struct value **result, struct vbm_error *err)
{
	auto_value struct value *own = args;
	const struct step_kind *k = step_find(step);

	assert_non_null(k);
	return agent_call(a, k, own, NULL, ms, result, err);
}

static void test_agent__a_step__answers_and_logs(void **state)
{
	auto_value struct value *r = NULL;
	struct value *args = value_map();
	struct vbm_error err = {0};
	char text[64] = "";
	struct agent *a;
	int log[2];

	(void)state;
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

static void test_agent__a_crash__is_reported_with_its_signal(void **state)
{
	struct value *r = NULL;
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	(void)state;
	assert_int_equal(call(a, "crash", NULL, 5000, &r, &err), -ECHILD);
	assert_string_equal(err.msg, "the agent of host a died in crash: killed by SIGABRT (Aborted)");
	assert_null(r);
	assert_int_equal(call(a, "note", NULL, 5000, &r, &err), -ECHILD);
	assert_non_null(strstr(err.msg, "no agent any more: killed by SIGABRT"));
	agent_stop(a);
}

static void test_agent__an_exit__is_reported_with_its_status(void **state)
{
	struct value *r = NULL, *args = value_map();
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	(void)state;
	value_set_int(args, "status", 3);
	assert_int_equal(call(a, "exit", args, 5000, &r, &err), -ECHILD);
	assert_non_null(strstr(err.msg, "exited with status 3"));
	agent_stop(a);
}

static void test_agent__a_hang__ends_at_its_deadline(void **state)
{
	int64_t begin = clock_now_ns();
	struct value *r = NULL;
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	(void)state;
	assert_int_equal(call(a, "stall", NULL, 50, &r, &err), -ETIME);
	assert_non_null(strstr(err.msg, "did not come back from stall"));
	assert_true(clock_now_ns() - begin < 8000000000);
	assert_int_equal(call(a, "note", NULL, 50, &r, &err), -ECHILD);
	assert_non_null(strstr(err.msg, "it hung in stall"));
	agent_stop(a);
}

static void test_agent__a_garbled_answer__is_a_protocol_error(void **state)
{
	struct value *r = NULL;
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	(void)state;
	assert_int_equal(call(a, "garble", NULL, 5000, &r, &err), -EPROTO);
	assert_string_equal(err.msg, "the agent's answer is garbled: '{\"garbled'");
	assert_int_equal(call(a, "note", NULL, 5000, &r, &err), -ECHILD);
	agent_stop(a);
}

static void test_agent__a_missing_object__is_the_steps_failure(void **state)
{
	auto_value struct value *r = NULL;
	struct vbm_error err = {0};
	struct value *none = NULL;
	struct agent *a = start(-1);

	(void)state;
	assert_int_equal(call(a, "dealloc_pd", NULL, 5000, &none, &err), -ENOENT);
	assert_string_equal(err.msg, "pd: the host has no protection domain; a step has to make one first");
	assert_int_equal(call(a, "gai_strerror", NULL, 5000, &r, &err), 0);
	assert_int_equal(value_get_int(r, "return", -1), 1);
	agent_stop(a);
}

static void test_agent__getaddrinfo__reaches_the_library(void **state)
{
	auto_value struct value *r = NULL;
	struct value *args = value_map();
	struct vbm_error err = {0};
	struct agent *a = start(-1);

	(void)state;
	/* All NULL is refused before any device is looked for. */
	value_set_bool(args, "hints", false);
	assert_int_equal(call(a, "getaddrinfo", args, 5000, &r, &err), 0);
	assert_int_equal(value_get_int(r, "return", 0), -1);
	assert_int_equal(value_get_int(r, "errno", 0), EINVAL);
	assert_true(value_get_bool(r, "res_untouched", false));
	agent_stop(a);
}

static void test_agent__a_bad_target__is_refused_at_the_start(void **state)
{
	struct agent_options opts = {.host = host, .netns_fd = -1, .target = "sistem", .log_fd = -1};
	struct vbm_error err = {0};
	struct agent *a = NULL;

	(void)state;
	assert_int_equal(agent_start(&a, &opts, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "unknown target 'sistem'"));
	opts.target = "/nowhere/lib.so";
	assert_true(agent_start(&a, &opts, &err) < 0);
	assert_non_null(strstr(err.msg, "target /nowhere/lib.so cannot be loaded"));
	assert_null(a);
}

VBM_TESTS(cmocka_unit_test(test_agent__a_step__answers_and_logs),
	  cmocka_unit_test(test_agent__a_crash__is_reported_with_its_signal),
	  cmocka_unit_test(test_agent__an_exit__is_reported_with_its_status),
	  cmocka_unit_test(test_agent__a_hang__ends_at_its_deadline),
	  cmocka_unit_test(test_agent__a_garbled_answer__is_a_protocol_error),
	  cmocka_unit_test(test_agent__a_missing_object__is_the_steps_failure),
	  cmocka_unit_test(test_agent__getaddrinfo__reaches_the_library),
	  cmocka_unit_test(test_agent__a_bad_target__is_refused_at_the_start));
