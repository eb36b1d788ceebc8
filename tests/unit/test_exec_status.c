/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/exec-status.c session/exec-place.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "session/exec-status.h"
#include "session/exec-place.h"

TEST(test_exec_status__none_given__are_those_of_the_page)
{
	const struct exec_statuses s = EXEC_STATUSES_DEFAULT;

	assert_int_equal(exec_status_of(&s, EXEC_END_COMMAND, 3), 3);
	assert_int_equal(exec_status_of(&s, EXEC_END_FAILED, 9), 1);
	assert_int_equal(exec_status_of(&s, EXEC_END_KERNEL, 9), 1);
	assert_int_equal(exec_status_of(&s, EXEC_END_ARGUMENTS, 9), 2);
	assert_int_equal(exec_status_of(&s, EXEC_END_PLACE, 9), 3);
	assert_int_equal(exec_status_of(&s, EXEC_END_READY, 9), 3);
	assert_int_equal(exec_status_of(&s, EXEC_END_TIMEOUT, 9), 124);
}

TEST(test_exec_status__given__are_taken_in_order)
{
	struct exec_statuses s = EXEC_STATUSES_DEFAULT;

	assert_int_equal(exec_status_read(&s, "verbatim=125,place=77,command=1", NULL), 0);
	assert_int_equal(exec_status_of(&s, EXEC_END_COMMAND, 3), 1);
	assert_int_equal(exec_status_of(&s, EXEC_END_PLACE, 3), 77);
	assert_int_equal(exec_status_of(&s, EXEC_END_READY, 3), 125);
	assert_int_equal(exec_status_of(&s, EXEC_END_TIMEOUT, 3), 125);
	assert_int_equal(exec_status_of(&s, EXEC_END_ARGUMENTS, 3), 125);
	assert_int_equal(exec_status_of(&s, EXEC_END_KERNEL, 3), 125);
	assert_int_equal(exec_status_of(&s, EXEC_END_FAILED, 3), 125);
}

static void is_refused(const char *text, const char *part)
{
	struct exec_statuses s = EXEC_STATUSES_DEFAULT;
	struct vbm_error err = {0};

	assert_int_equal(exec_status_read(&s, text, &err), -EINVAL);
	assert_non_null(strstr(err.msg, part));
}

TEST(test_exec_status__wrong__is_refused)
{
	is_refused("place", "takes WHAT=STATUS");
	is_refused("place=0", "from 1 to 255");
	is_refused("place=256", "from 1 to 255");
	is_refused("place=x", "from 1 to 255");
	is_refused("places=3", "knows no 'places'");
}

/* Of two forms; not behind "--", and not a value that is wrong. */
TEST(test_exec_status__scan__finds_the_option)
{
	char words[][24] = {"exec", "--status", "arguments=9", "--status=timeout=8", "--status=x=7",
			    "--statuses=kernel=6", "--", "--status=place=5"};
	char *argv[] = {words[0], words[1], words[2], words[3], words[4], words[5], words[6],
			words[7], NULL};
	char last[] = "--status";
	char *alone[] = {last, NULL};
	struct exec_statuses s = EXEC_STATUSES_DEFAULT;

	exec_status_scan(&s, argv);
	exec_status_scan(&s, alone);
	assert_int_equal(s.of[EXEC_END_ARGUMENTS], 9);
	assert_int_equal(s.of[EXEC_END_TIMEOUT], 8);
	assert_int_equal(s.of[EXEC_END_KERNEL], 1);
	assert_int_equal(s.of[EXEC_END_PLACE], 3);
}

TEST(test_exec_trace__of_something_else__is_refused)
{
	struct vbm_error err = {0};

	assert_null(exec_trace_find("packets", &err));
	assert_non_null(strstr(err.msg, "there is only --trace verbs"));
}

TEST(test_exec_trace__object__comes_before_the_callers)
{
	auto_value struct value *job = value_map();

	value_set(job, "env", value_map());
	exec_trace_put(job, "/x/t.so");
	assert_string_equal(value_get_string(value_get(job, "env"), "LD_PRELOAD", ""), "/x/t.so");
	exec_trace_put(job, "/y/t.so");
	assert_string_equal(value_get_string(value_get(job, "env"), "LD_PRELOAD", ""),
			    "/y/t.so:/x/t.so");
}
