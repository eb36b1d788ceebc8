/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: catalogue/clauses.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "base/diag.h"

#define HEADER "id\tarea\tsource\tstatement\tobserve\treachability\tdecision\n"

TEST(test_clauses__lines__become_clauses)
{
	struct clauses c;

	assert_int_equal(clauses_parse(&c, xstrdup(HEADER "A-1\tqp\ts\tIt holds.\to\trxe\t\n"
						   "\nA-2\tqp\ts\tIt does not.\to\trxe\td"),
				       NULL),
			 0);
	assert_int_equal(c.count, 2);
	assert_string_equal(clause_find(&c, "A-2")->statement, "It does not.");
	assert_string_equal(clause_find(&c, "A-1")->decision, "");
	assert_null(clause_find(&c, "A-3"));
	clauses_fini(&c);
}

TEST(test_clauses__bad_lines__are_named)
{
	static const struct {
		const char *text, *msg;
	} row[] = {
		{"id\tarea\n", "clauses.tsv:1: the line does not have 7 cells like the header"},
		{"A-1\tqp\ts\tt\to\trxe\td\n",
		 "clauses.tsv:1: the line does not have 7 cells like the header"},
		{HEADER "A-1\tqp\ts\tt\to\trxe\n",
		 "clauses.tsv:2: the line does not have 7 cells like the header"},
		{HEADER "A-1\tqp\ts\tt\to\trxe\td\te\n",
		 "clauses.tsv:2: the line does not have 7 cells like the header"},
		{HEADER "\tqp\ts\tt\to\trxe\td\n",
		 "clauses.tsv:2: the line does not have 7 cells like the header"},
		{HEADER "A-1\tqp\ts\tt\to\trxe\td\nA-1\tqp\ts\tt\to\trxe\td\n",
		 "clauses.tsv:3: the clause A-1 is there twice"},
	};
	struct vbm_error err;
	struct clauses c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(clauses_parse(&c, xstrdup(row[i].text), &err), -EINVAL);
		assert_string_equal(err.msg, row[i].msg);
	}
}

TEST(test_clauses__those_of_a_scenario__are_looked_up)
{
	char known[] = "GAI-NODE", unknown[] = "GAI-NODF";
	char *ids[] = {known, unknown};
	struct pos pos[] = {{1, 9}, {2, 5}};
	struct scenario s = {.clauses = ids, .clause_pos = pos, .clause_count = 2};
	struct diagnostics diag = {0};
	struct clauses c;

	assert_int_equal(clauses_parse(&c, xstrdup(HEADER "GAI-NODE\tqp\ts\tt\to\trxe\td\n"),
				       NULL), 0);
	clauses_check(&c, &s, &diag);
	assert_int_equal(diag.count, 1);
	assert_int_equal(diag.item[0].pos.line, 2);
	assert_string_equal(diag.item[0].hint, "did you mean 'GAI-NODE'?");
	diagnostics_fini(&diag);
	clauses_fini(&c);
}

TEST(test_clauses__a_bad_source__is_told_with_line_and_column)
{
	struct diagnostics diag = {0};
	struct clauses c;

	assert_int_equal(clauses_parse(&c, xstrdup(HEADER "A-1\tqp\tdecision\tt\to\trxe\td\n\n"
						   "A-2\tqp\ta(3) / B @x\tt\to\trxe\td\n"
						   "A-3\tqp\ta(3) of rdma-core\tt\to\trxe\td\n"),
				       NULL), 0);
	clauses_check_sources(&c, &diag);
	assert_int_equal(diag.count, 2);
	assert_int_equal(diag.item[1].pos.line, 5);
	assert_int_equal(diag.item[0].pos.line, 4);
	assert_int_equal(diag.item[0].pos.col, 18);
	assert_string_equal(diag.item[0].message, "source of A-2: 'x' is not a range of editions; "
			    "write @44-, @-59 or @56-65");
	diagnostics_fini(&diag);
	clauses_fini(&c);
}

/* Each source in the shipped catalogue has the right form. */
TEST(test_clauses__those_that_ship)
{
	struct diagnostics diag = {0};
	auto_free char *all = NULL;
	struct vbm_error err;
	struct clauses c;

	if (clauses_load(&c, test_data("../../scenarios"), &err) < 0)
		fail_msg("%s", err.msg);
	clauses_check_sources(&c, &diag);
	all = diagnostics_format(&diag, "clauses.tsv");
	if (diag.count)
		fail_msg("%s", all);
	diagnostics_fini(&diag);
	clauses_fini(&c);
}
