/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: catalogue/source.c coverage/table.c coverage/show.c run/selection.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/source.h"
#include "catalogue/source.h"
#include "coverage/show.h"
#include "explain/explain.h"
#include "run/selection.h"

#define HEADER "statement\tedition\tstatus\tnamed-by\twhy\n"

TEST(test_numbers)
{
	static const struct {
		const char *number;
		size_t chapter;
	} row[] = {
		{"C9-88", 1}, {"o10-37.2.30", 2}, {"oA19-14", 3}, {"CA10-49", 3}, {"C17-7.a1", 2}, {"C9-1", 1},
		{"", 0}, {"C", 0}, {"C9", 0}, {"C9-", 0}, {"C-9", 0}, {"CA-9", 0}, {"c9-88", 0}, {"X9-88", 0}, {"C9-x", 0},
		{"C9-.1", 0}, {"C9x88", 0}, {"C9-88 ", 0}, {"C9-88)", 0}, {"oB19-1", 0}, {"9-88", 0},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		if (source_chapter(row[i].number, strlen(row[i].number)) != row[i].chapter)
			fail_msg("%s", row[i].number);
}

/* A source is read to its end, and no further. */
TEST(test_numbers__a_prefix_is_no_number)
{
	assert_int_equal(source_chapter("C9-88", 3), 0);
	assert_int_equal(source_chapter("C9-88", 4), 1);
}

TEST(test_sources)
{
	struct string_list all auto_string_list = {0};

	sources_statements(&all, "a(3) / B (C9-1); IBTA vol 1 / 9.7.5 / T (C9-2, C9-222.1.1); IBTA vol 1 / A19 / U "
				   "(oA19-2); IBTA vol 1 / 10 / V; decision");
	assert_int_equal(all.count, 3);
	assert_string_equal(all.item[0], "C9-2");
	assert_string_equal(all.item[1], "C9-222.1.1");
	assert_string_equal(all.item[2], "oA19-2");
	sources_statements(&all, "the specification of somebody, C9-7");
	assert_int_equal(all.count, 3);
}

TEST(test_table__bad_lines__are_named)
{
	static const struct {
		const char *text, *msg;
	} row[] = {
		{"statement\n", "statements.tsv:1: not the header: statement, edition, status, named-by, why"},
		{HEADER "C9-1\t-\tcovered\tx\n", "statements.tsv:2: the line does not have 5 cells"},
		{HEADER "9-1\t-\tcovered\tx\t-\n", "statements.tsv:2: '9-1' is not the number of a statement"},
		{HEADER "C9-1\t-\tforced\tx\t-\n",
		 "statements.tsv:2: 'forced' is not a status: covered, not-roce, unreachable or missing"},
		{HEADER "C9-1\t-\tcovered\tx\t-\n\nC9-1\t-\tmissing\tx\ty\n", "statements.tsv:4: line 2 is already about C9-1"},
		{HEADER "C9-1\t\tcovered\tx\t-\n", "statements.tsv:2: 'edition' is empty"},
		{HEADER "C9-1\t-\tcovered\t\t-\n", "statements.tsv:2: 'named-by' is empty"},
		{HEADER "C9-1\t-\tcovered\tx\t\n", "statements.tsv:2: 'why' is empty"},
		{HEADER "C9-1\t-\tnot-roce\tx\t-\n", "statements.tsv:2: 'why' must say why C9-1 is not-roce"},
	};
	struct statements st;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(statements_parse(&st, xstrdup(row[i].text), &err), -EINVAL);
		statements_fini(&st);
		assert_string_equal(err.msg, row[i].msg);
		assert_int_equal(st.count, 0);
	}
}

/* The suite of tests/data/coverage with other sources and a table. */
static int load(struct survey *s, const char *table)
{
	struct text problems auto_text = {0};
	struct vbm_error err;

	if (survey_load(s, test_data("coverage/scenarios"), NULL, &problems, &err) < 0)
		fail_msg("%s", err.msg);
	s->clauses.item[0].source = "IBTA vol 1 / 9 / T (C9-1)";
	s->clauses.item[1].source = "IBTA vol 1 / 9 / T (C9-1, C9-2); IBTA vol 1 / 10 / U (o10-3)";
	return statements_parse(&s->statements, xstrdup(table), NULL);
}

static void check(const char *table, int wrong, const char *said)
{
	struct text problems auto_text = {0};
	struct survey s;

	assert_int_equal(load(&s, table), 0);
	assert_int_equal(statements_check(&s, &problems), wrong);
	if (said && !strstr(problems.s, said))
		fail_msg("not said: %s\nbut: %s", said, problems.s);
	survey_fini(&s);
}

#define TWO "C9-2\t-\tcovered\tx\t-\no10-3\t-\tcovered\tx\t-\n"

TEST(test_table__is_compared_with_the_clauses)
{
	check(HEADER "C9-1\t-\tcovered\tx\t-\n" TWO "C9-4\t-\tmissing\tx\tz\n", 0, NULL);
	check(HEADER TWO, 2, "clauses.tsv:2: error: statements.tsv has no line about C9-1, which C-ONE names");
	check(HEADER "C9-1\t-\tmissing\tx\tz\n" TWO, 1, "statements.tsv:2: error: C-ONE names C9-1, so it is covered");
	check(HEADER "C9-1\t-\tcovered\tx\t-\n" TWO "C9-5\t-\tcovered\tx\t-\n", 1,
	      "statements.tsv:5: error: no clause names C9-5, so it is not covered");
}

/* C-SIX has no scenario. */
TEST(test_table__a_clause_without_a_scenario_covers_nothing)
{
	struct text problems auto_text = {0};
	struct survey s;
	size_t i;

	assert_int_equal(load(&s, HEADER "C9-1\t-\tcovered\tx\t-\n" TWO "C9-6\t-\tcovered\tx\t-\n"), 0);
	for (i = 0; i < s.clauses.count; i++)
		if (!strcmp(s.clauses.item[i].id, "C-SIX"))
			s.clauses.item[i].source = "IBTA vol 1 / 9 / T (C9-6)";
	assert_int_equal(statements_check(&s, &problems), 1);
	assert_non_null(strstr(problems.s, "no scenario shows C-SIX, which names C9-6"));
	survey_fini(&s);
}

/* The table that ships agrees with the clauses and scenarios that ship, and has the numbers of chapter 9. */
TEST(test_table__the_one_that_ships)
{
	struct text problems auto_text = {0};
	size_t i, nine = 0, covered = 0;
	struct vbm_error err;
	struct survey s;

	if (survey_load(&s, test_data("../../scenarios"), NULL, &problems, &err) < 0)
		fail_msg("%s", err.msg);
	if (statements_check(&s, &problems))
		fail_msg("%s", problems.s);
	for (i = 0; i < s.statements.count; i++) {
		auto_free char *chapter = statement_group(&s.statements.item[i]);

		nine += !strcmp(chapter, "9");
		covered += s.statements.item[i].status == STATEMENT_COVERED;
	}
	assert_true(nine >= 21);
	assert_true(covered >= 35);
	survey_fini(&s);
}

TEST(test_explain)
{
	auto_value struct value *list = NULL;
	const struct value *m;
	struct coverage c;
	struct survey s;

	assert_int_equal(load(&s, HEADER "C9-1\t1.2.1\tcovered\tmine.c\t-\n" TWO), 0);
	coverage_make(&c, &s, NULL);
	list = explain_name(&s, &c, "c9-1");
	assert_int_equal(list->list.count, 1);
	m = list->list.item[0];
	assert_string_equal(value_get_string(m, "what", ""), "compliance statement of IBTA vol 1, chapter 9, release 1.2.1");
	assert_string_equal(value_get_string(m, "named_by", ""), "mine.c");
	assert_int_equal(value_get(m, "clauses")->list.count, 2);
	assert_string_equal(value_get(m, "clauses")->list.item[0]->s, "C-ONE (covered)");
	assert_string_equal(value_get(m, "scenarios")->list.item[0]->s, "demo/one");
	assert_string_equal(explain_suggest(&s, &c, "o10-4"), "o10-3");
	coverage_fini(&c);
	survey_fini(&s);
}

TEST(test_filter)
{
	static char one[] = "C9-88", all[] = "C9-*", id[] = "DATA-EMPTY-KEY", none[] = "C9-1000";
	char *glob[] = {one, all, id, none};
	auto_value struct value *clauses = value_list();
	struct variant v = {.clauses = clauses};
	struct clause_filter f;
	size_t i;

	value_append(clauses, value_string("DATA-EMPTY-KEY"));
	clause_filter_init(&f, NULL, 0);
	assert_true(clause_filter_matches(&f, NULL, &v));
	clause_filter_fini(&f);
	for (i = 0; i < ARRAY_SIZE(glob); i++) {
		clause_filter_init(&f, &glob[i], 1);
		assert_int_equal(clause_filter_matches(&f, test_data("../../scenarios"), &v), glob[i] != none);
		assert_int_equal(clause_filter_unmet(&f) == NULL, glob[i] != none);
		/* Without a suite, only the id matches, also after a suite. */
		assert_int_equal(clause_filter_matches(&f, NULL, &v), glob[i] == id);
		clause_filter_fini(&f);
	}
}
