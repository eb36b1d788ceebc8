/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "hear.h"
#include "compile/scenario.h"
#include "base/diag.h"
#include "base/yaml.h"

static const struct field item_fields[] = {
	{.name = "family", .type = FIELD_CONST, .set = &const_family},
	{.name = "port", .type = FIELD_INT},
	{NULL},
};

static const struct field fields[] = {
	{.name = "return", .type = FIELD_CONST, .set = &const_return},
	{.name = "errno", .type = FIELD_CONST, .set = &const_errno},
	{.name = "access", .type = FIELD_FLAGS, .set = &const_access},
	{.name = "count", .type = FIELD_INT},
	{.name = "up", .type = FIELD_BOOL},
	{.name = "name", .type = FIELD_STRING},
	{.name = "results", .type = FIELD_LIST, .sub = item_fields},
	{.name = "extra", .type = FIELD_INT},
	{NULL},
};

static const struct step_kind kind = {.name = "probe", .fields = fields};

static const char result_text[] =
	"{return: 0, errno: 0, access: 3, count: 5, up: true, name: rxe_a,"
	" results: [{family: 2, port: 1}, {family: 10, port: 7471}]}";

/* @expect as a step has it: bound, so that names are integers. */
static bool match(const char *expect, struct mismatch *m)
{
	struct plan_step step = {.kind = &kind, .pos = {1, 1}};
	auto_value struct value *e = NULL, *args = NULL;
	auto_value struct value *result = must_read_yaml(result_text);
	struct env *env = env_new(NULL);
	struct vbm_error err = {0};
	int ret;

	step.args = value_map();
	step.expect = expect ? must_read_yaml(expect) : NULL;
	ret = plan_bind(&step, env, &args, &e, &err);
	if (ret)
		print_error("%s\n", err.msg);
	assert_int_equal(ret, 0);
	env_free(env);
	value_free(step.args);
	value_free(step.expect);
	return expect_match(&kind, step.pos, e, result, m);
}

static void test_expect__what_holds__matches(void **state)
{
	static const char *const row[] = {
		NULL,
		"{}",
		"{return: OK, errno: 0}",
		"{count: 5, up: true, name: rxe_a}",
		"{access: [LOCAL_WRITE, REMOTE_WRITE]}",
		"{access: {contains: REMOTE_WRITE}}",
		"{access: {not: []}}",
		"{count: {min: 5, max: 5}}",
		"{count: {not: 6}}",
		"{count: {any_of: [4, 5], why: both are allowed}}",
		"{count: {any_of: [4, {min: 5}], why: both are allowed}}",
		"{name: {contains: xe}, count: any}",
		"{results: [{family: AF_INET}, {family: AF_INET6, port: {max: 65535}}]}",
		"{results: {count: 2}}",
		"{results: {contains: {port: 7471}}}",
		"{return: {not: EAI_QPTYPE}}",
	};
	struct mismatch m;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(row); i++)
		assert_true(match(row[i], &m));
}

static void test_expect__what_does_not_hold__is_said_with_names(void **state)
{
	static const struct {
		const char *expect, *field, *expected, *actual;
	} row[] = {
		{"{return: EAI_QPTYPE}", "return", "EAI_QPTYPE (-7)", "OK (0)"},
		{"{errno: EINVAL}", "errno", "EINVAL (22)", "OK (0)"},
		{"{access: [LOCAL_WRITE]}", "access", "LOCAL_WRITE (0x1)",
		 "LOCAL_WRITE|REMOTE_WRITE (0x3)"},
		{"{access: {contains: REMOTE_READ}}", "access", "containing REMOTE_READ (0x4)",
		 "LOCAL_WRITE|REMOTE_WRITE (0x3)"},
		{"{count: 6}", "count", "6", "5"},
		{"{count: {min: 6}}", "count", "at least 6", "5"},
		{"{count: {max: 4}}", "count", "at most 4", "5"},
		{"{count: {min: 1, max: 4}}", "count", "at most 4", "5"},
		{"{count: {not: 5}}", "count", "not 5", "5"},
		{"{return: {any_of: [EAI_QPTYPE, EAI_SERVICE], why: w}}", "return",
		 "EAI_QPTYPE (-7) or EAI_SERVICE (-8)", "OK (0)"},
		{"{up: false}", "up", "false", "true"},
		{"{name: rxe_b}", "name", "\"rxe_b\"", "\"rxe_a\""},
		{"{name: {contains: b}}", "name", "containing \"b\"", "\"rxe_a\""},
		{"{name: \"any\"}", "name", "\"any\"", "\"rxe_a\""},
		{"{results: [{port: 1}]}", "results", "1 item",
		 "[{family: 2, port: 1}, {family: 10, port: 7471}]"},
		{"{results: [{}, {family: AF_INET}]}", "results[1].family", "AF_INET (2)",
		 "AF_INET6 (10)"},
		{"{results: {count: 3}}", "results", "3 items",
		 "[{family: 2, port: 1}, {family: 10, port: 7471}]"},
		{"{results: {contains: {port: 2}}}", "results", "containing {port: 2}",
		 "[{family: 2, port: 1}, {family: 10, port: 7471}]"},
		{"{extra: any}", "extra", "any value", "(absent)"},
		{"{extra: 0}", "extra", "0", "(absent)"},
		{"{extra: {not: 0}}", "extra", "not 0", "(absent)"},
	};
	struct mismatch m;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_false(match(row[i].expect, &m));
		assert_string_equal(m.field, row[i].field);
		assert_string_equal(m.expected, row[i].expected);
		assert_string_equal(m.actual, row[i].actual);
		mismatch_fini(&m);
	}
}

static void test_expect__position__is_that_of_the_expectation(void **state)
{
	struct mismatch m;

	(void)state;
	assert_false(match("{\n  up: true,\n  count: 6}", &m));
	assert_int_equal(m.pos.line, 3);
	assert_int_equal(m.pos.col, 10);
	mismatch_fini(&m);
}

static void test_expect__return_not_spoken_of__must_be_ok(void **state)
{
	static const struct step_kind pointer = {.name = "p", .fields = fields, .ok = 1};
	auto_value struct value *result = must_read_yaml(result_text);
	auto_value struct value *e = must_read_yaml("{count: 5}");
	struct mismatch m;

	(void)state;
	assert_false(expect_match(&pointer, (struct pos){7, 3}, e, result, &m));
	assert_string_equal(m.field, "return");
	assert_int_equal(m.pos.line, 7);
	mismatch_fini(&m);
}

VBM_TESTS(cmocka_unit_test(test_expect__what_holds__matches),
	  cmocka_unit_test(test_expect__what_does_not_hold__is_said_with_names),
	  cmocka_unit_test(test_expect__position__is_that_of_the_expectation),
	  cmocka_unit_test(test_expect__return_not_spoken_of__must_be_ok));
