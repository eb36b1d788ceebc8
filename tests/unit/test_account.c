/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/tracker.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "run/tracker.h"
#include "../help/variant.h"
#include "diag-help.h"
#include "whole-event.h"

/* Two single items, an either of three items, and one more item. */
static const char items[] =
	"[{'actor': 0, 'step': 'open_device'}, {'actor': 1, 'step': 'open_device'},"
	" {'actor': 0, 'step': 'query_port', 'either': 1, 'outcomes': [{}, null]},"
	" {'actor': 0, 'step': 'query_port', 'either': 1, 'outcomes': [null, null]},"
	" {'actor': 0, 'step': 'query_port', 'either': 1, 'outcomes': [false, null]},"
	" {'actor': 1, 'step': 'query_device'}]";

struct books {
	struct plan plan;
	struct account account;
	struct vbm_error err;
};

static int open_books(void **state)
{
	static struct books b;

	memset(&b, 0, sizeof(b));
	make_variant(&b.plan, "['a', 'b']", items);
	account_begin(&b.account, &b.plan.item[0]);
	*state = &b;
	return 0;
}

static int close_books(void **state)
{
	struct books *b = *state;

	account_fini(&b->account);
	plan_fini(&b->plan);
	return 0;
}

UNIT(.each = {open_books, close_books});

/* An event as JSON with single quotes. */
static struct value *event_of(const char *text)
{
	auto_free char *copy = xstrdup(text);
	char *c;

	for (c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	return must_read_json(copy);
}

typedef int (*account_fn)(struct account *a, const struct value *event, struct vbm_error *err);

static int tell(struct books *b, account_fn fn, const char *text)
{
	auto_value struct value *event = event_of(text);

	value_set_string(event, "event", fn == account_step ? "step" : fn == account_fail ? "fail" :
			 fn == account_kernel ? "kernel" : "verdict");
	make_whole(event);
	b->err = (struct vbm_error){0};
	return fn(&b->account, event, &b->err);
}

static int step(struct books *b, int index, const char *host, const char *call, bool ok)
{
	auto_free char *text = xasprintf("{'name': 'x', 'index': %d, 'host': '%s', 'call': '%s', 'ok': %s}",
					 index, host, call, ok ? "true" : "false");

	return tell(b, account_step, text);
}

/* The first @count steps of the variant, all successful. */
static void steps(struct books *b, int count)
{
	static const struct { const char *host, *call; } of[] = {
		{"a", "open_device"}, {"b", "open_device"}, {"a", "query_port"}, {"a", "query_port"},
		{"a", "query_port"}, {"b", "query_device"},
	};
	int i;

	for (i = 0; i < count; i++)
		assert_int_equal(step(b, i, of[i].host, of[i].call, true), 0);
}

static void must_refuse(struct books *b, int rc, const char *why)
{
	assert_int_equal(rc, -EPROTO);
	assert_string_equal(b->err.msg, why);
}

TEST(test_account__step__has_to_be_the_next)
{
	struct books *b = *state;

	must_refuse(b, step(b, 1, "b", "open_device", true), "step 1 of 'x' comes out of order");
	assert_int_equal(step(b, 0, "a", "open_device", true), 0);
	must_refuse(b, step(b, 0, "a", "open_device", true), "step 0 of 'x' comes out of order");
	must_refuse(b, step(b, -1, "a", "open_device", true), "step -1 of 'x' comes out of order");
	must_refuse(b, step(b, 6, "a", "open_device", true), "step 6 of 'x' comes out of order");
	/* A refused step does not count. */
	assert_int_equal(b->account.steps, 1);
	assert_int_equal(step(b, 1, "b", "open_device", true), 0);
}

TEST(test_account__step__is_that_of_the_plan)
{
	struct books *b = *state;

	must_refuse(b, step(b, 0, "b", "open_device", true), "step 0 of 'x' is another step in the plan");
	must_refuse(b, step(b, 0, "a", "query_port", true), "step 0 of 'x' is another step in the plan");
}

/* An outcome may be reached by its first item, which ends the either. */
TEST(test_account__either__may_end_early)
{
	struct books *b = *state;

	steps(b, 2);
	must_refuse(b, step(b, 3, "a", "query_port", true), "step 3 of 'x' comes out of order");
	must_refuse(b, step(b, 5, "b", "query_device", true), "step 5 of 'x' comes out of order");
	assert_int_equal(step(b, 2, "a", "query_port", true), 0);
	assert_int_equal(step(b, 5, "b", "query_device", true), 0);
	assert_int_equal(tell(b, account_verdict, "{'name': 'x', 'verdict': 'PASS'}"), 0);
}

TEST(test_account__failure__is_of_a_step_before)
{
	struct books *b = *state;

	must_refuse(b, tell(b, account_fail, "{'index': 0}"),
		    "a failure of step 0, which was not carried out");
	steps(b, 1);
	assert_int_equal(tell(b, account_fail, "{'index': 0}"), 0);
	must_refuse(b, tell(b, account_fail, "{'index': 1}"),
		    "a failure of step 1, which was not carried out");
	must_refuse(b, tell(b, account_fail, "{'index': -1}"),
		    "a failure of step -1, which was not carried out");
}

TEST(test_account__known_complaint__is_not_the_runners_to_say)
{
	struct books *b = *state;

	must_refuse(b, tell(b, account_kernel, "{'text': 'BUG', 'bad': true, 'known': 'x'}"),
		    "a message of the kernel that the runner calls known");
	assert_false(b->account.complained);
}

/* The events of a runner before its verdict, as letters, and the resulting verdict. */
static const struct {
	const char *before;	/* s: all steps, t: two, w: a wrong one, f: a failure, k: a complaint */
	const char *verdict, *more, *why;	/* NULL: the verdict stays */
} rows[] = {
	{"s", "PASS", "", NULL},
	{"t", "PASS", "", "comes without all of its steps"},
	{"", "PASS", "", "comes without all of its steps"},
	{"w", "PASS", "", "comes after a step that was not as expected"},
	{"wf", "PASS", "", "comes after a failure"},
	{"wf", "FAIL", "'reason': 'r'", NULL},
	{"w", "FAIL", "'reason': 'r'", "comes without a failure"},
	{"wf", "FAIL", "", "comes without a reason"},
	{"wf", "FAIL", "'reason': ''", "comes without a reason"},
	{"", "SKIP", "'reason': 'r'", NULL},
	{"", "SKIP", "", "comes without a reason"},
	{"t", "SKIP", "'reason': 'r'", "comes after a step"},
	{"", "ERROR", "'reason': 'r'", NULL},
	{"s", "ERROR", "'reason': 'r'", NULL},
	{"s", "ERROR", "", "comes without a reason"},
	{"s", "XPASS", "", "is not a verdict that a runner gives"},
	{"wf", "XFAIL", "'reason': 'r'", "is not a verdict that a runner gives"},
	{"s", "INVALID", "'reason': 'r'", "is not a verdict that a runner gives"},
	{"sk", "PASS", "", "comes after a complaint of the kernel"},
	{"wfk", "FAIL", "'reason': 'r'", "comes after a complaint of the kernel"},
	{"k", "SKIP", "'reason': 'r'", "comes after a complaint of the kernel"},
	{"sk", "ERROR", "'reason': 'r'", NULL},
	{"sk", "ERROR", "'reason': 'r', 'complaints': ['BUG']", NULL},
	{"wfk", "ERROR", "'reason': 'r', 'complaints': ['BUG']", NULL},
	{"s", "PASS", "'complaints': []", "comes with complaints of the kernel"},
	{"s", "ERROR", "'reason': 'r', 'complaints': ['BUG']",
	 "comes with complaints that the kernel did not have"},
	{"sk", "ERROR", "'reason': 'r', 'complaints': ['WARN']",
	 "comes with complaints that the kernel did not have"},
	{"skk", "ERROR", "'reason': 'r', 'complaints': ['BUG']",
	 "comes with complaints that the kernel did not have"},
	{"wk", "ERROR", "'reason': 'r', 'complaints': ['BUG']", "comes for complaints of the kernel, "
	 "beside steps that went wrong without a failure or are missing"},
	{"tk", "ERROR", "'reason': 'r', 'complaints': ['BUG']", "comes for complaints of the kernel, "
	 "beside steps that went wrong without a failure or are missing"},
};

static void tell_before(struct books *b, char what)
{
	if (what == 's' || what == 't')
		steps(b, what == 's' ? 6 : 2);
	if (what == 'w')
		assert_int_equal(step(b, 0, "a", "open_device", false), 0);
	if (what == 'f')
		assert_int_equal(tell(b, account_fail, "{'index': 0}"), 0);
	if (what == 'k')
		assert_int_equal(tell(b, account_kernel, "{'text': 'BUG', 'bad': true}"), 0);
}

TEST(test_account__verdict__has_to_follow)
{
	struct books *b = *state;
	const char *c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_free char *event = xasprintf("{'name': 'x', 'verdict': '%s'%s%s}", rows[i].verdict,
						  *rows[i].more ? ", " : "", rows[i].more);
		auto_free char *why = rows[i].why ? xasprintf("'x' has the verdict %s: it %s",
							     rows[i].verdict, rows[i].why) : NULL;
		int rc;

		account_fini(&b->account);
		account_begin(&b->account, &b->plan.item[0]);
		for (c = rows[i].before; *c; c++)
			tell_before(b, *c);
		rc = tell(b, account_verdict, event);
		if (rc != (why ? -EPROTO : 0) || (why && strcmp(b->err.msg, why) != 0))
			fail_msg("after \"%s\" %s: \"%s\", not \"%s\"", rows[i].before, event, b->err.msg,
				 why ? why : "");
	}
}

/* A complaint of the kernel between two variants counts for the next one, until a verdict. */
TEST(test_account__complaints__count_for_one_verdict)
{
	struct books *b = *state;

	assert_int_equal(tell(b, account_kernel, "{'text': 'fine', 'bad': false}"), 0);
	assert_false(b->account.complained);
	assert_int_equal(tell(b, account_kernel, "{'text': 'BUG', 'bad': true}"), 0);
	account_begin(&b->account, &b->plan.item[0]);
	steps(b, 6);
	must_refuse(b, tell(b, account_verdict, "{'name': 'x', 'verdict': 'PASS'}"),
		    "'x' has the verdict PASS: it comes after a complaint of the kernel");
	assert_int_equal(tell(b, account_verdict, "{'name': 'x', 'verdict': 'ERROR', 'reason': 'r'}"), 0);
	account_begin(&b->account, &b->plan.item[0]);
	steps(b, 6);
	assert_int_equal(tell(b, account_verdict, "{'name': 'x', 'verdict': 'PASS'}"), 0);
	assert_true(b->account.complained);
}

/* Without a plan the steps are only counted. */
TEST(test_account__no_plan__judges_no_steps)
{
	struct books *b = *state;

	account_begin(&b->account, NULL);
	assert_int_equal(step(b, 7, "z", "anything", true), 0);
	must_refuse(b, step(b, -1, "z", "anything", true), "step -1 of 'x' comes out of order");
	assert_int_equal(tell(b, account_fail, "{'index': 7}"), 0);
	account_begin(&b->account, NULL);
	assert_int_equal(tell(b, account_verdict, "{'verdict': 'PASS'}"), 0);
}
