/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: plan/expect.c plan/fit-expect.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "diag-help.h"
#include "names/consts.h"
#include "plan/env.h"
#include "plan/expect.h"
#include "plan/fit.h"
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
	{.name = "id", .type = FIELD_INT, .u64 = true},
	{.name = "text", .type = FIELD_BYTES},
	{.name = "raw", .type = FIELD_BYTES},
	{.name = "none", .type = FIELD_LIST, .sub = item_fields},
	{.name = "ms", .type = FIELD_INT},
	{.name = "gone", .type = FIELD_STRING},
	{.name = "status", .type = FIELD_CONST, .set = &const_return, .or_errno = true},
	{.name = "lost", .type = FIELD_LIST, .sub = item_fields},
	{NULL},
};

static const struct step_kind kind = {.name = "probe", .fields = fields};

static const char result_text[] =
	"{return: 0, errno: 0, access: 3, count: 5, up: true, name: rxe_a,"
	" id: -2, text: hi, raw: {hex: 00 ff}, none: [], ms: 5001,"
	" results: [{family: 2, port: 1}, {family: 10, port: 7471}]}";

/* @expect as it is in an item: bound, so that names are integers. */
static bool match(const char *expect, struct mismatches *m)
{
	struct item item = {.kind = &kind, .origin.pos = {.line = 1, .col = 1}};
	auto_value struct value *result = must_read_yaml(result_text);
	struct env *env = env_new(4);
	struct vbm_error err = {0};
	struct bound b;
	bool ok;

	struct diagnostics diag = {0};

	*m = (struct mismatches){0};
	item.args = value_map();
	item.expect = expect ? must_read_yaml(expect) : NULL;
	/* The word "any" is resolved by the compiler, which has a scope. */
	if (item.expect)
		fit_expect(&(struct fit){.diag = &diag, .scope = &(struct fit_scope){0}}, "probe",
			   fields, item.expect);
	diagnostics_fini(&diag);
	if (item_bind(&item, env, &b, &err))
		fail_msg("%s", err.msg);
	ok = expect_match(&kind, item.origin.pos, b.expect, result, m);
	env_free(env);
	bound_fini(&b);
	item_fini(&item);
	return ok;
}

TEST(test_expect__what_holds__matches)
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
		"{count: {timers: {rnr_timer: 1, tries: 3}}}",
		"{count: {timers: {rnr_timer: 1, tries: 500}}}",
		"{ms: {timers: {rnr_timer: 1, tries: 100}}}",
		"{count: {any_of: [5, 4], why: both are allowed}}",
		"{count: {any_of: [4, 5], why: both are allowed}}",
		"{count: {any_of: [4, {min: 5}], why: both are allowed}}",
		"{name: {contains: xe}, count: any}",
		"{results: [{family: AF_INET}, {family: AF_INET6, port: {max: 65535}}]}",
		"{results: {count: 2}}",
		"{results: {contains: {port: 7471}}}",
		"{results: {contains: {port: 1}}}",
		"{none: []}",
		"{none: {count: 0}}",
		"{return: {not: EAI_QPTYPE}}",
		"{id: 18446744073709551614, text: hi, raw: {hex: 00FF}}",
		"{id: {min: 5, max: 18446744073709551615}}",
		"{id: {min: 18446744073709551614, max: 18446744073709551614}}",
		"{text: {hex: 68 69}, raw: {not: {hex: 00fe}}}",
		"{text: {contains: h}, raw: {any_of: [x, {hex: 00 ff}], why: both}}",
	};
	struct mismatches m = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		assert_true(match(row[i], &m));
}

static const struct {
	const char *expect, *field, *expected, *actual;
} mismatch[] = {
	{"{return: EAI_QPTYPE}", "return", "EAI_QPTYPE (-7)", "OK (0)"},
	{"{errno: EINVAL}", "errno", "EINVAL (22)", "OK (0)"},
	{"{access: [LOCAL_WRITE]}", "access", "LOCAL_WRITE (0x1)",
	 "LOCAL_WRITE|REMOTE_WRITE (0x3)"},
	{"{access: {contains: REMOTE_READ}}", "access", "containing REMOTE_READ (0x4)",
	 "LOCAL_WRITE|REMOTE_WRITE (0x3)"},
	{"{access: {contains: [LOCAL_WRITE, REMOTE_READ]}}", "access",
	 "containing LOCAL_WRITE|REMOTE_READ (0x5)", "LOCAL_WRITE|REMOTE_WRITE (0x3)"},
	{"{count: 6}", "count", "6", "5"},
	{"{count: {min: 6}}", "count", "at least 6", "5"},
	{"{count: {max: 4}}", "count", "at most 4", "5"},
	{"{count: 6, up: true}", "count", "6", "5"},
	{"{extra: {min: 0}}", "extra", "at least 0", "(absent)"},
	{"{count: {min: 1, max: 4}}", "count", "at most 4", "5"},
	{"{count: {not: 5}}", "count", "not 5", "5"},
	{"{count: {timers: {ack_timeout: 20, tries: 1}}}", "count", "from 4294 to 22179", "5"},
	{"{ms: {timers: {rnr_timer: 1, tries: 1}}}", "ms", "from 0 to 5000", "5001"},
	{"{count: {timers: {rnr_timer: 1, tries: 600}}}", "count", "from 6 to 5006", "5"},
	{"{extra: {timers: {rnr_timer: 1, tries: 1}}}", "extra", "from 0 to 5000", "(absent)"},
	{"{return: {any_of: [EAI_QPTYPE, EAI_SERVICE], why: w}}", "return",
	 "EAI_QPTYPE (-7) or EAI_SERVICE (-8)", "OK (0)"},
	{"{up: false}", "up", "false", "true"},
	{"{name: rxe_b}", "name", "\"rxe_b\"", "\"rxe_a\""},
	{"{name: {contains: b}}", "name", "containing \"b\"", "\"rxe_a\""},
	{"{name: {contains: XE}}", "name", "containing \"XE\"", "\"rxe_a\""},
	{"{gone: {contains: a}}", "gone", "containing \"a\"", "(absent)"},
	{"{name: \"any\"}", "name", "\"any\"", "\"rxe_a\""},
	{"{results: [{port: 1}]}", "results", "1 item",
	 "[{family: 2, port: 1}, {family: 10, port: 7471}]"},
	{"{results: [{}, {family: AF_INET}]}", "results[1].family", "AF_INET (2)",
	 "AF_INET6 (10)"},
	{"{results: {count: 3}}", "results", "3 items",
	 "[{family: 2, port: 1}, {family: 10, port: 7471}]"},
	{"{results: {count: 1}}", "results", "1 items",
	 "[{family: 2, port: 1}, {family: 10, port: 7471}]"},
	{"{lost: {count: 0}}", "lost", "0 items", "(absent)"},
	{"{results: [{}, {}, {}]}", "results", "3 items",
	 "[{family: 2, port: 1}, {family: 10, port: 7471}]"},
	{"{results: [{port: 2}, {}]}", "results[0].port", "2", "1"},
	{"{none: {contains: {}}}", "none", "containing {}", "[]"},
	{"{results: {contains: {port: 2}}}", "results", "containing {port: 2}",
	 "[{family: 2, port: 1}, {family: 10, port: 7471}]"},
	{"{extra: any}", "extra", "any value", "(absent)"},
	{"{id: 7}", "id", "7", "18446744073709551614"},
	{"{id: {max: 7}}", "id", "at most 7", "18446744073709551614"},
	{"{id: 18446744073709551615}", "id", "18446744073709551615", "18446744073709551614"},
	{"{text: ho}", "text", "\"ho\"", "\"hi\""},
	{"{text: {hex: 00}}", "text", "{hex: \"00\"}", "\"hi\""},
	{"{raw: hi}", "raw", "\"hi\"", "{hex: \"00 ff\"}"},
	{"{extra: 0}", "extra", "0", "(absent)"},
	{"{extra: {not: 0}}", "extra", "not 0", "(absent)"},
};

TEST(test_expect__what_does_not_hold__is_said_with_names)
{
	struct mismatches m = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mismatch); i++) {
		assert_false(match(mismatch[i].expect, &m));
		assert_string_equal(m.item[0].field, mismatch[i].field);
		assert_string_equal(m.item[0].expected, mismatch[i].expected);
		assert_string_equal(m.item[0].actual, mismatch[i].actual);
		mismatches_fini(&m);
	}
}

TEST(test_expect__timers__are_longer_on_a_slow_machine)
{
	static const char expect[] = "{ms: {timers: {rnr_timer: 1, tries: 3}}}";
	int factor = clock_factor();
	struct mismatches m = {0};

	assert_false(match(expect, &m));
	mismatches_fini(&m);
	clock_set_factor(2);
	assert_true(match(expect, &m));
	clock_set_factor(factor);
}

TEST(test_expect__position__is_that_of_the_expectation)
{
	struct mismatches m = {0};

	assert_false(match("{\n  up: true,\n  count: 6}", &m));
	assert_int_equal(m.item[0].pos.line, 3);
	assert_int_equal(m.item[0].pos.col, 10);
	mismatches_fini(&m);
}

static void check_actual(const char *result, const char *expect, const char *expected, const char *actual)
{
	auto_value struct value *r = must_read_yaml(result), *e = must_read_yaml(expect);
	struct diagnostics diag = {0};
	struct mismatches m = {0};

	fit_expect(&(struct fit){.diag = &diag}, "probe", fields, e);
	assert_int_equal(diag.count, 0);
	assert_false(expect_match(&kind, (struct pos){.line = 1}, e, r, &m));
	assert_int_equal(m.count, 1);
	assert_string_equal(m.item[0].expected, expected);
	assert_string_equal(m.item[0].actual, actual);
	mismatches_fini(&m);
}

/* -1 is EAI_BADFLAGS, and means that errno has the reason. */
TEST(test_expect__minus_one__is_told_with_its_errno)
{
	static const char qptype[] = "EAI_QPTYPE (-7)";

	check_actual("{return: -1, errno: 19}", "{return: EAI_QPTYPE}", qptype, "EAI_BADFLAGS (-1), errno ENODEV (19)");
	check_actual("{return: -1, errno: 19}", "{}", "OK (0)", "EAI_BADFLAGS (-1), errno ENODEV (19)");
	check_actual("{return: -1, errno: 0}", "{return: EAI_QPTYPE}", qptype, "EAI_BADFLAGS (-1)");
	check_actual("{return: -1}", "{return: EAI_QPTYPE}", qptype, "EAI_BADFLAGS (-1)");
	check_actual("{return: -2, errno: 19}", "{return: EAI_QPTYPE}", qptype, "EAI_NONAME (-2)");
	check_actual("{return: -1, errno: 19}", "{return: EAI_BADFLAGS, errno: 0}", "OK (0)", "ENODEV (19)");
}

TEST(test_expect__a_status_of_two_kinds__has_both_readings)
{
	check_actual("{return: 0, status: -5}", "{status: EAI_NONAME}", "EAI_NONAME (-2)", "EAI_NODATA or -EIO (-5)");
	check_actual("{return: 0, status: -113}", "{status: OK}", "OK (0)", "-EHOSTUNREACH (-113)");
	check_actual("{return: 0, status: -9999}", "{status: OK}", "OK (0)", "-9999");
	check_actual("{return: 0, status: 5}", "{status: -5}", "EAI_NODATA or -EIO (-5)", "5");
	check_actual("{return: 0, status: 0}", "{status: EAI_NODATA}", "EAI_NODATA (-5)", "OK (0)");
}

/* Fitting refuses these expectations. A result may have another type, too. */
TEST(test_expect__a_number_of_a_text__does_not_match)
{
	static const char *const row[] = {
		"{name: {min: 0}}", "{name: {max: 0}}", "{name: {timers: {rnr_timer: 1, tries: 1}}}",
		"{name: {count: 0}}", "{name: {contains: 0}}", "{count: {count: 0}}", "{results: {min: 0}}",
		"{up: {min: 0}}", "{up: {max: 9}}", "{up: {timers: {rnr_timer: 1, tries: 1}}}",
	};
	auto_value struct value *result = must_read_yaml("{return: 0, name: '', count: 0, up: true, results: []}");
	struct mismatches m = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_value struct value *e = must_read_yaml(row[i]);

		assert_false(expect_match(&kind, (struct pos){.line = 1}, e, result, &m));
		assert_int_equal(m.count, 1);
		mismatches_fini(&m);
	}
}

TEST(test_expect__return_not_spoken_of__must_be_ok)
{
	static const struct step_kind pointer = {.name = "p", .fields = fields, .ok = 1};
	auto_value struct value *result = must_read_yaml(result_text);
	auto_value struct value *e = must_read_yaml("{count: 5}");
	struct mismatches m = {0};

	assert_false(expect_match(&pointer, (struct pos){.line = 7, .col = 3}, e, result, &m));
	assert_string_equal(m.item[0].field, "return");
	assert_int_equal(m.item[0].pos.line, 7);
	mismatches_fini(&m);
}

TEST(test_expect__every_field_that_differs__is_told)
{
	struct mismatches m = {0};

	assert_false(match("{count: 6, up: false, name: rxe_a, results: [{port: 2}, {family: AF_INET}]}",
			   &m));
	assert_int_equal(m.count, 4);
	assert_string_equal(m.item[0].field, "count");
	assert_string_equal(m.item[1].field, "up");
	assert_string_equal(m.item[2].field, "results[0].port");
	assert_string_equal(m.item[3].field, "results[1].family");
	mismatches_fini(&m);
}

/* A failed call has no other fields, so an expected absence is not a further mismatch. */
TEST(test_expect__absent_after_a_failure__is_left_out)
{
	struct mismatches m = {0};

	assert_false(match("{return: EAI_QPTYPE, extra: 1, count: 6}", &m));
	assert_int_equal(m.count, 2);
	assert_string_equal(m.item[1].field, "count");
	mismatches_fini(&m);
}

TEST(test_expect__results_are_shown_with_names)
{
	auto_value struct value *result = must_read_yaml(result_text);
	auto_free char *shown = expect_result_show(&kind, result);

	assert_string_equal(shown, "access LOCAL_WRITE|REMOTE_WRITE "
			    "(0x3), count 5, up true, name \"rxe_a\", id 18446744073709551614, "
			    "text \"hi\", raw {hex: \"00 ff\"}, none [], ms 5001, results [family AF_INET (2), "
			    "port 1; family AF_INET6 (10), port 7471]");
}

static void check_shown(const char *result, const char *text)
{
	auto_value struct value *v = must_read_yaml(result);
	auto_free char *shown = expect_result_show(&kind, v);

	assert_string_equal(shown, text);
}

TEST(test_expect__a_result__is_shown_without_what_goes_without_saying)
{
	check_shown("{return: 0, errno: 0}", "success");
	check_shown("{return: -7, errno: 0}", "return EAI_QPTYPE (-7)");
	check_shown("{return: -1, errno: 22}", "return EAI_BADFLAGS (-1), errno EINVAL (22)");
	check_shown("{count: 0}", "count 0");
	check_shown("{}", "nothing");
}

TEST(test_expect__a_return_that_is_not_success__is_shown)
{
	static const struct step_kind pointer = {.name = "p", .fields = fields, .ok = 1};
	auto_value struct value *v = must_read_yaml("{return: 0}");
	auto_free char *shown = expect_result_show(&pointer, v);

	assert_string_equal(shown, "return OK (0)");
}
