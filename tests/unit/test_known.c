/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/findings.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "run/findings.h"
#include "whole-event.h"

/* Two suites, and only the first has findings. */
#define FINDINGS "tests/data/known.yaml"

struct world {
	struct variant item[4];	/* x/one and x/two, each of another suite; two of them have rounds */
	const char *root_of[4];
	struct item step_of[2];
	struct selection selection;
	struct findings_filter known;
	int64_t step;		/* the step that fails next */
	int64_t either;		/* the either: that it belongs to; 0: none */
	const char *round;	/* its round of repeat:, or NULL */
	const char *call;	/* the step's, or NULL */
};

static int setup(void **state)
{
	static char root_a[] = "/a", root_b[] = "/b", one[] = "x/one", two[] = "x/two",
		    rounds[] = "x/rounds", first[] = "i=1", second[] = "i=2, k=1";
	struct world *w = xcalloc(1, sizeof(*w));
	auto_free char *path = NULL, *text = NULL;
	struct diagnostics diag = {0};

	w->item[0] = (struct variant){.number = 0, .id = one, .name = one, .item_count = 3};
	w->item[1] = (struct variant){.number = 1, .id = two, .name = two};
	w->step_of[0].origin.round = first;
	w->step_of[1].origin.round = second;
	w->item[2] = (struct variant){.number = 2, .id = rounds, .name = rounds,
				      .items = w->step_of, .item_count = 1};
	w->item[3] = (struct variant){.number = 3, .id = rounds, .name = rounds,
				      .items = w->step_of, .item_count = 2};
	w->root_of[0] = w->root_of[2] = w->root_of[3] = root_a;
	w->root_of[1] = root_b;
	w->selection = (struct selection){.plan = {.item = w->item, .count = 4},
					  .root_of = w->root_of};
	w->known.selection = &w->selection;
	w->known.facts.target = "system";
	w->known.suite = xcalloc(2, sizeof(*w->known.suite));
	w->known.suite_count = 2;
	w->known.suite[0].root = xstrdup(root_a);
	w->known.suite[1].root = xstrdup(root_b);
	path = xasprintf("%s/" FINDINGS, getenv("VBM_SRCDIR") ? getenv("VBM_SRCDIR") : ".");
	text = text_of_file(path, NULL);
	assert_non_null(text);
	assert_int_equal(findings_parse(&w->known.suite[0].list, "m.yaml", text, strlen(text), &diag), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	findings_filter_fini(&w->known);
	free(w);
	return 0;
}

UNIT(.each = {setup, teardown});

static void begin_number(struct world *w, int number)
{
	auto_value struct value *e = value_map();

	value_set_string(e, "event", "scenario");
	value_set_int(e, "variant", number);
	value_set_string(e, "id", w->item[number].id);
	make_whole(e);
	findings_filter_event(&w->known, e);
}

static void begin(struct world *w, const char *id)
{
	begin_number(w, strcmp(id, "x/two") == 0);
}

/* A field of the next step fails. */
static void failed(struct world *w, const char *field, const char *actual)
{
	auto_value struct value *e = value_map();

	value_set_string(e, "event", "fail");
	value_set_int(e, "index", ++w->step);
	if (w->either)
		value_set_int(e, "either", w->either);
	if (w->round)
		value_set_string(e, "round", w->round);
	if (w->call)
		value_set_string(e, "call", w->call);
	value_set_string(e, "field", field);
	value_set_string(e, "actual", actual);
	make_whole(e);
	findings_filter_event(&w->known, e);
}

/* Another field of the same step fails. */
static void failed_too(struct world *w, const char *field, const char *actual)
{
	w->step--;
	failed(w, field, actual);
}

/* The verdict after the findings, with its reason. */
static char *verdict(struct world *w, const char *name, const char *word)
{
	auto_value struct value *e = value_map();

	value_set_string(e, "event", "verdict");
	value_set_string(e, "name", name);
	value_set_string(e, "verdict", word);
	value_set_string(e, "reason", "as it came");
	make_whole(e);
	findings_filter_event(&w->known, e);
	return xasprintf("%s: %s", value_get_string(e, "verdict", "?"),
			 value_get_string(e, "reason", "?"));
}

#define is_verdict(w, name, word, wanted)                                     \
	do {                                                                  \
		auto_free char *got = verdict(w, name, word);                 \
		assert_string_equal(got, wanted);                             \
	} while (0)

TEST(test_known__a_second_entry__is_looked_at)
{
	struct world *w = *state;

	begin(w, "x/one");
	failed(w, "errno", "0");
	is_verdict(w, "x/one[ip=4]", "FAIL", "XFAIL: difference stays: errno stays (measured: there)");
}

/* When a variant ends without showing one of its known findings, that finding is gone. */
TEST(test_known__one_of_two_gone__is_an_unexpected_pass)
{
	struct world *w = *state;
	auto_value struct value *e = value_map();

	begin(w, "x/one");
	failed(w, "errno", "0");
	value_set_string(e, "event", "step");
	value_set_int(e, "index", 2);
	make_whole(e);
	findings_filter_event(&w->known, e);
	is_verdict(w, "x/one[ip=4]", "FAIL",
		   "XPASS: m.yaml:2:5: the finding says that this fails (the return value is ignored), "
		   "but it passes: delete the entry");
}

TEST(test_known__every_step_that_failed__needs_an_entry)
{
	struct world *w = *state;

	begin(w, "x/one");
	failed(w, "return", "OK (0)");
	failed(w, "errno", "0");
	is_verdict(w, "x/one[ip=4]", "FAIL",
		   "XFAIL: deviation ignored: A-1: the return value is ignored "
		   "(measured: here); difference stays: errno stays (measured: there)");
	begin(w, "x/one");
	failed(w, "return", "OK (0)");
	failed(w, "length", "7");
	is_verdict(w, "x/one[ip=4]", "FAIL", "FAIL: as it came");
	begin(w, "x/one");
	failed(w, "length", "7");
	failed(w, "return", "OK (0)");
	is_verdict(w, "x/one[ip=4]", "FAIL", "FAIL: as it came");
	begin(w, "x/one");
	failed(w, "return", "EINVAL (22)");
	is_verdict(w, "x/one[ip=6]", "FAIL", "FAIL: as it came");
}

/* One entry is enough for a step with several wrong fields. */
TEST(test_known__other_fields_of_a_step__need_none)
{
	struct world *w = *state;

	begin(w, "x/one");
	failed(w, "return", "OK (0)");
	failed_too(w, "length", "7");
	is_verdict(w, "x/one[ip=4]", "FAIL",
		   "XFAIL: deviation ignored: A-1: the return value is ignored "
		   "(measured: here)");
	begin(w, "x/one");
	failed(w, "return", "OK (0)");
	failed_too(w, "length", "7");
	failed(w, "length", "7");
	is_verdict(w, "x/one[ip=4]", "FAIL", "FAIL: as it came");
}

TEST(test_known__failures__are_those_of_one_variant)
{
	struct world *w = *state;

	begin(w, "x/one");
	failed(w, "length", "7");
	is_verdict(w, "x/one[ip=4]", "FAIL", "FAIL: as it came");
	begin(w, "x/one");
	failed(w, "return", "OK (0)");
	is_verdict(w, "x/one[ip=6]", "FAIL",
		   "XFAIL: deviation ignored: A-1: the return value is ignored "
		   "(measured: here)");
	begin(w, "x/one");
	is_verdict(w, "x/one[ip=6]", "FAIL", "FAIL: as it came");
}

TEST(test_known__a_pass__names_all_that_applied)
{
	struct world *w = *state;

	begin(w, "x/one");
	is_verdict(w, "x/one[ip=4]", "PASS",
		   "XPASS: m.yaml:2:5: the finding says that this fails (the return value is ignored), "
		   "but it passes: delete the entry; m.yaml:11:5: the finding says that this fails (errno stays), "
		   "but it passes: delete the entry");
	begin(w, "x/one");
	is_verdict(w, "x/one[ip=6]", "PASS",
		   "XPASS: m.yaml:2:5: the finding says that this fails (the return value is ignored), "
		   "but it passes: delete the entry");
	begin(w, "x/one");
	is_verdict(w, "x/one[ip=4]", "ERROR", "ERROR: as it came");
}

TEST(test_known__another_suite__is_not_meant)
{
	struct world *w = *state;

	w->known.facts.target = "reference";
	begin(w, "x/two");
	is_verdict(w, "x/two", "PASS", "PASS: as it came");
	begin(w, "x/one");
	is_verdict(w, "x/one", "PASS",
		   "XPASS: m.yaml:17:5: the finding says that this fails (it is of another target), "
		   "but it passes: delete the entry");
}

/* An entry for a round applies only to variants with that round, and to no other round. */
TEST(test_known__a_round__is_not_another)
{
	struct world *w = *state;

	begin_number(w, 2);
	is_verdict(w, "x/rounds", "PASS", "PASS: as it came");
	begin_number(w, 3);
	is_verdict(w, "x/rounds", "PASS",
		   "XPASS: m.yaml:23:5: the finding says that this fails (the second is wrong), "
		   "but it passes: delete the entry");
	w->round = "i=2, k=1";
	begin_number(w, 3);
	failed(w, "return", "7");
	is_verdict(w, "x/rounds", "FAIL",
		   "XFAIL: deviation of a round: the second is wrong (measured: here)");
	w->round = "i=1";
	begin_number(w, 3);
	failed(w, "return", "7");
	is_verdict(w, "x/rounds", "FAIL", "FAIL: as it came");
}

/* A finding about any value does not cover the death of a program or process. */
TEST(test_known__a_death__is_excused_by_value)
{
	static const struct {
		const char *call, *field, *got, *too, *too_got;	/* a second field of the step */
		bool known;
	} row[] = {
		{"run", "return", "1", NULL, NULL, true},
		{"run", "return", "127", NULL, NULL, true},
		{"stop_program", "return", "137", NULL, NULL, false},
		{"run", "return", "134", NULL, NULL, true},
		{"run", "return", "139", NULL, NULL, false},	/* '13*' is no name of a death */
		{"run", "stdout", "x", NULL, NULL, true},
		{"run", "stderr", "no answer within 4 s", NULL, NULL, true},
		{"run", "stderr", "no answer", NULL, NULL, false},
		{"run", "stderr", "there is no answer within 4 s", NULL, NULL, false},
		{"run", "stdout", "x", "return", "139", false},
		{"run", "stdout", "x", "return", "134", true},
		{"poll_cq", "return", "139", NULL, NULL, true},
		{"poll_cq", "death", "SIGSEGV", NULL, NULL, false},
		{"poll_cq", "death", "SIGBUS", NULL, NULL, true},
	};
	struct world *w = *state;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		auto_free char *got = NULL;

		begin(w, "x/one");
		w->call = row[i].call;
		failed(w, row[i].field, row[i].got);
		if (row[i].too)
			failed_too(w, row[i].too, row[i].too_got);
		got = verdict(w, "x/program", "FAIL");
		if (strcmp(got, row[i].known ? "XFAIL: deviation programs: they fail (measured: here)" :
					       "FAIL: as it came"))
			fail_msg("%s of %s: %s: %s", row[i].field, row[i].call, row[i].got, got);
	}
}

/* The verdict of the running variant when the kernel printed the lines @text (up to a NULL). */
static char *complained_now(struct world *w, const char *const *text)
{
	auto_value struct value *e = value_map();
	struct value *list = value_list();

	for (; *text; text++)
		value_append(list, value_string(*text));
	value_set_string(e, "event", "verdict");
	value_set_string(e, "name", "x/one[ip=6]");
	value_set_string(e, "verdict", "ERROR");
	value_set_string(e, "reason", "as it came");
	value_set(e, "complaints", list);
	make_whole(e);
	findings_filter_event(&w->known, e);
	return xasprintf("%s: %s", value_get_string(e, "verdict", "?"),
			 value_get_string(e, "reason", "?"));
}

/* The same for a variant whose steps passed. */
static char *complained(struct world *w, const char *const *text)
{
	begin(w, "x/one");
	return complained_now(w, text);
}

TEST(test_known__complaints__are_excused_when_all_are_known)
{
	static const struct {
		const char *text[4], *verdict;
	} cases[] = {
		{{"WARNING: CPU: 1 at rxe.c:1", NULL},
		 "XFAIL: deviation now and then: the kernel warns (measured: here)"},
		{{"WARNING: CPU: 1 at rxe.c:1", "WARNING: CPU: 2 at rxe.c:2", "WARNING: at cma.c:1",
		  NULL},
		 "XFAIL: deviation now and then: the kernel warns (measured: here); deviation "
		 "seldom: it warns of another thing (measured: here)"},
		{{"WARNING: CPU: 1 at rxe.c:1", "WARNING: CPU: 1 at qp.c:1", NULL},
		 "ERROR: as it came"},
		{{NULL}, "ERROR: as it came"},
	};
	struct world *w = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *got = complained(w, cases[i].text);

		assert_string_equal(got, cases[i].verdict);
	}
}

/* A crash is one complaint of many lines. Steps that failed before it need their own entries. */
TEST(test_known__a_crash__is_excused_when_all_before_it_is)
{
	static const char *const crash[] = {"WARNING: at cma.c:1\ntrace\nKernel panic", NULL},
				 *const another[] = {"Kernel panic\nWARNING: at cma.c:1", NULL};
	static const char known[] =
		"XFAIL: deviation seldom: it warns of another thing (measured: here)";
	struct world *w = *state;
	auto_free char *alone = complained(w, crash), *other = complained(w, another),
		       *after_known = NULL, *after_unknown = NULL;

	assert_string_equal(alone, known);
	assert_string_equal(other, "ERROR: as it came");
	begin(w, "x/one");
	failed(w, "return", "OK (0)");
	after_known = complained_now(w, crash);
	assert_string_equal(after_known, "XFAIL: deviation ignored: A-1: the return value is ignored "
			    "(measured: here); deviation seldom: it warns of another thing "
			    "(measured: here)");
	begin(w, "x/one");
	failed(w, "return", "7");
	after_unknown = complained_now(w, crash);
	assert_string_equal(after_unknown, "ERROR: as it came");
}

TEST(test_known__a_complaint_elsewhere__is_not_excused)
{
	static const char *const text[] = {"WARNING: CPU: 1 at rxe.c:1", NULL};
	struct world *w = *state;
	auto_free char *got = NULL;

	w->known.facts.target = "reference";
	got = complained(w, text);
	assert_string_equal(got, "ERROR: as it came");
}

/* The name of the finding that an event of a kernel message gets, or "none". */
static char *known_as(struct world *w, const char *text, bool bad)
{
	auto_value struct value *e = value_map();

	value_set_string(e, "event", "kernel");
	value_set(e, "name", value_null());
	value_set_string(e, "text", text);
	value_set_bool(e, "bad", bad);
	make_whole(e);
	findings_filter_event(&w->known, e);
	return xstrdup(value_get_string(e, "known", "none"));
}

TEST(test_known__a_complaint_between_variants__is_marked)
{
	struct world *w = *state;
	static const struct {
		const char *text;
		bool begun, bad;
		const char *known;
	} cases[] = {
		{"WARNING: at rxe.c:1", false, true, "none"},
		{"WARNING: at rxe.c:1", true, true, "now and then"},
		{"WARNING: at rxe.c:1", true, false, "none"},
		{"WARNING: at qp.c:1", true, true, "none"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *known = NULL;

		if (cases[i].begun)
			begin(w, "x/one");
		known = known_as(w, cases[i].text, cases[i].bad);
		assert_string_equal(known, cases[i].known);
	}
}

/*
 * A finding that shows only sometimes is excused when it shows, and not missed when it
 * does not.
 */
TEST(test_known__what_comes_sometimes__may_come_or_not)
{
	static const char late[] = "XFAIL: deviation late: it takes too long (measured: here)";
	struct world *w = *state;

	begin(w, "x/one");
	is_verdict(w, "x/slow", "PASS", "PASS: as it came");
	begin(w, "x/one");
	failed(w, "return", "late");
	failed(w, "length", "7");
	is_verdict(w, "x/slow", "FAIL", late);
	begin(w, "x/one");
	failed(w, "return", "later");
	is_verdict(w, "x/slow", "FAIL", "FAIL: as it came");
}

/* A point release may contain the fix already, so there both outcomes are expected. */
TEST(test_known__what_was_mended__may_be_so_in_a_point_release)
{
	static const struct {
		const char *scenario, *rdma_core, *kernel;
		bool surprise;
	} cases[] = {
		{"x/mended", "63.0", "7.3.4", true},	{"x/mended", "63.1", "7.3.0", false},
		{"x/mended", "64.0", "7.3.4", false},	{"x/mended", "63", "7.3.4", true},
		{"x/kernel", "63.1", "7.3.0-uml", true}, {"x/kernel", "63.0", "7.3.4-uml", false},
		{"x/kernel", "63.0", "7.3", true},
	};
	struct world *w = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *is = NULL;

		w->known.facts.rdma_core = cases[i].rdma_core;
		w->known.facts.kernel = cases[i].kernel;
		begin(w, "x/one");
		is = verdict(w, cases[i].scenario, "PASS");
		if (cases[i].surprise != !strncmp(is, "XPASS", 5))
			fail_msg("%s, rdma-core %s, Linux %s: %s", cases[i].scenario,
				 cases[i].rdma_core, cases[i].kernel, is);
	}
	w->known.facts.rdma_core = "63.1";
	begin(w, "x/one");
	failed(w, "return", "1");
	is_verdict(w, "x/mended", "FAIL", "XFAIL: deviation mended: it was wrong (measured: here)");
}

static void machine(struct world *w, const char *host)
{
	auto_value struct value *e = value_map();

	value_set_string(e, "event", "machine");
	value_set_string(e, "host", host);
	value_set_string(e, "driver", "rxe");
	make_whole(e);
	findings_filter_event(&w->known, e);
}

/* The peer of a kernel that ends gets wrong answers. A complaint after which a kernel goes on explains none. */
TEST(test_known__machines__the_end_of_a_kernel_explains_the_others)
{
	static const char *const crash[] = {"WARNING: at cma.c:1\ntrace\nKernel panic", NULL}, *const warning[] = {"WARNING: at cma.c:1", NULL};
	struct world *w = *state;
	auto_free char *ended = NULL, *goes_on = NULL;

	machine(w, "a");
	machine(w, "b");
	begin(w, "x/one");
	failed(w, "return", "7");
	ended = complained_now(w, crash);
	assert_string_equal(ended, "XFAIL: deviation seldom: it warns of another thing (measured: here)");
	begin(w, "x/one");
	failed(w, "return", "7");
	goes_on = complained_now(w, warning);
	assert_string_equal(goes_on, "ERROR: as it came");
}

/* A variant that crashes the kernel is one in this suite, of a kernel that has the bug or is not known. */
TEST(test_known__a_crash__is_foreseen)
{
	static const struct {
		const char *kernel;
		bool spares, any;
		size_t variant;
		const char *crashes;
	} rows[] = {
		{"7.3.4", true, false, 2, "the end"}, {"7.3.4", true, false, 0, ""}, {"7.3.4", true, false, 1, ""},
		{"7.3.4", false, true, 2, ""},	      {"7.4", true, false, 2, ""},   {"7.4", true, true, 2, "the end"},
		{"7.4", true, true, 0, ""},
	};
	struct world *w = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_value struct value *line = value_map();

		w->known.facts.kernel = rows[i].kernel;
		w->known.spares_kernel = rows[i].spares;
		w->known.any_kernel = rows[i].any;
		findings_filter_describe(&w->known, rows[i].variant, line);
		assert_string_equal(value_get_string(line, "crashes", ""), rows[i].crashes);
	}
}

/* If no outcome of an either: fits, that is one failure, although it concerns several steps. */
TEST(test_known__an_either__is_explained_by_one_outcome)
{
	struct world *w = *state;

	begin(w, "x/one");
	w->either = 1;
	failed(w, "return", "0");
	failed(w, "errno", "0");
	is_verdict(w, "x/one[ip=4]", "FAIL", "XFAIL: difference stays: errno stays (measured: there)");
	begin(w, "x/one");
	failed(w, "return", "0");
	w->either = 2;
	failed(w, "errno", "0");
	is_verdict(w, "x/one[ip=4]", "FAIL", "FAIL: as it came");
}
