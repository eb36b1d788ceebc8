/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: explain/explain.c explain/things.c explain/table*.c */
#include "cmocka_all.h"

#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "explain-setup.h"

static void check_list(const struct value *m, const char *key, const char *wanted)
{
	const struct value *list = value_get(m, key);

	assert_int_equal(list->list.count, 1);
	assert_string_equal(list->list.item[0]->s, wanted);
}

/* Every name of a set with a table is in the table, with all its texts. */
TEST(test_tables__are_complete)
{
	const struct explained_set *s;
	const struct explanation *e;
	size_t i, n;

	for (s = explained_sets; s->set; s++) {
		for (i = 0; s->entry && i < s->set->count; i++)
			if (!explanation_find(s->entry, s->set->entry[i].name))
				fail_msg("%s of %s is not explained", s->set->entry[i].name,
					 s->set->name);
		for (n = 0, e = s->entry; e && e->name; e++, n++) {
			assert_true(e->meaning && strlen(e->meaning) > 3 && e->cause);
			assert_int_equal(e->meaning[strlen(e->meaning) - 1], '.');
		}
		assert_true(!s->entry || n == s->set->count);
	}
	for (i = 0; i < VERDICT_COUNT; i++)
		assert_non_null(explanation_find(explain_verdict, verdict_name((enum verdict)i)));
}

TEST_BETWEEN(test_explain__a_code, load, unload)
{
	struct value *v = explain_name(&survey, &coverage, "eai_nodata");
	const struct value *m = only(v);

	assert_string_equal(value_get_string(m, "name", ""), "EAI_NODATA");
	assert_int_equal(value_get_int(m, "value", 0), -5);
	check_list(m, "clauses", "C-ONE");
	assert_int_equal(value_get(m, "scenarios")->list.count, 0);
	value_free(v);
	v = explain_name(&survey, &coverage, "EAI_BADFLAGS");
	check_list(only(v), "scenarios", "demo/two");
	value_free(v);
}

TEST_BETWEEN(test_explain__prefixes_may_be_left_out, load, unload)
{
	static const char *const name[] = {"IBV_WC_REM_OP_ERR", "REM_OP_ERR", "rem_op_err"};
	struct value *v;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(name); i++) {
		v = explain_name(&survey, &coverage, name[i]);
		assert_string_equal(value_get_string(only(v), "name", ""), "IBV_WC_REM_OP_ERR");
		check_list(only(v), "scenarios", "demo/one");
		value_free(v);
	}
}

TEST_BETWEEN(test_explain__one_name_several_things, load, unload)
{
	struct value *v = explain_name(&survey, &coverage, "INIT");

	assert_int_equal(v->list.count, 2);
	value_free(v);
}

TEST_BETWEEN(test_explain__errno_names_its_calls, load, unload)
{
	struct value *v = explain_name(&survey, &coverage, "ENOSYS");
	const struct value *calls = value_get(only(v), "calls");

	assert_int_equal(calls->list.count, 1);
	assert_string_equal(value_get_string(calls->list.item[0], "call", ""),
			    "ibv_get_device_list");
	assert_string_equal(value_get_string(calls->list.item[0], "cover", ""), "missing");
	assert_int_equal(value_get(only(v), "cover")->type, VALUE_NULL);
	value_free(v);
}

/* Coverage counts some sets of constants. It counts an errno for each call. */
TEST_BETWEEN(test_explain__a_code_has_its_coverage, load, unload)
{
	static const struct {
		const char *name, *cover, *why;	/* NULL: nothing is said */
	} row[] = {
		{"IBV_WC_FATAL_ERR", "unreachable", "needs a device that breaks"},
		{"REM_OP_ERR", "covered", NULL},
		{"RNR_RETRY_EXC_ERR", "missing", NULL},
		{"IBV_ACCESS_LOCAL_WRITE", NULL, NULL},
		{"EBUSY", NULL, NULL},
	};
	const struct value *m;
	struct value *v;
	const char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		v = explain_name(&survey, &coverage, row[i].name);
		m = only(v);
		text = value_get_string(m, "cover", NULL);
		if (row[i].cover)
			assert_string_equal(text, row[i].cover);
		else
			assert_null(text);
		text = value_get_string(m, "why", NULL);
		if (row[i].why)
			assert_string_equal(text, row[i].why);
		else
			assert_null(text);
		value_free(v);
	}
}

TEST_BETWEEN(test_explain__a_transition, load, unload)
{
	struct value *v = explain_name(&survey, &coverage, "uc:sqe-rts");
	const struct value *m = only(v);

	assert_string_equal(value_get_string(m, "name", ""), "UC:SQE-RTS");
	assert_string_equal(value_get_string(m, "meaning", ""), "A queue pair of type UC goes from SQE to RTS.");
	assert_string_equal(value_get_string(m, "cover", ""), "missing");
	assert_int_equal(value_get(m, "scenarios")->list.count, 0);
	value_free(v);
}

/* explain finds each code that coverage lists. */
TEST_BETWEEN(test_explain__every_code_of_coverage__is_known, load, unload)
{
	struct value *v;
	size_t i;

	assert_true(coverage.code_count > 200);
	for (i = 0; i < coverage.code_count; i++) {
		v = explain_name(&survey, &coverage, coverage.code[i].name);
		if (!v->list.count)
			fail_msg("%s is not explained", coverage.code[i].name);
		value_free(v);
	}
}

TEST_BETWEEN(test_explain__a_clause, load, unload)
{
	struct value *v = explain_name(&survey, &coverage, "C-TWO");
	const struct value *m = only(v);

	assert_string_equal(value_get_string(m, "cover", ""), "covered");
	check_list(m, "scenarios", "demo/two");
	assert_int_equal(value_get(m, "findings")->list.count, 2);
	value_free(v);
	v = explain_name(&survey, &coverage, "C-FIVE");
	assert_string_equal(value_get_string(only(v), "why", ""), "needs what is not here");
	value_free(v);
}

TEST_BETWEEN(test_explain__a_step_and_a_verdict, load, unload)
{
	struct value *v = explain_name(&survey, &coverage, "poll_cq");

	check_list(only(v), "scenarios", "demo/one");
	value_free(v);
	v = explain_name(&survey, &coverage, "xpass");
	assert_string_equal(value_get_string(only(v), "what", ""), "verdict");
	value_free(v);
}

TEST_BETWEEN(test_explain__unknown, load, unload)
{
	struct value *v = explain_name(&survey, &coverage, "EAI_NODATTA");

	assert_int_equal(v->list.count, 0);
	value_free(v);
	assert_string_equal(explain_suggest(&survey, &coverage, "EAI_NODATTA"), "EAI_NODATA");
	assert_string_equal(explain_suggest(&survey, &coverage, "IBV_WC_FLUSH_ERR"), "WR_FLUSH_ERR");
	assert_string_equal(explain_suggest(&survey, &coverage, "C-TWOO"), "C-TWO");
	assert_string_equal(explain_suggest(&survey, &coverage, "UC:SQE-RTZS"), "UC:SQE-RTS");
	assert_null(explain_suggest(&survey, &coverage, "qqqqqqqqqqqqqqqqqqqq"));
}
