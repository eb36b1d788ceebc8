/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/match.c */
#include "cmocka_all.h"

#include "base/match.h"
#include "base/xalloc.h"

static const struct {
	const char *pattern, *name;
	bool matches;
} row[] = {
	{"x/c1", "x/c1", true},
	{"x/c1", "x/c14", false},
	{"x/c1", "x/c1[ip=4]", false},
	/* The brackets of a variant are plain text, not a set of characters. */
	{"x/c1[ip=4]", "x/c1[ip=4]", true},
	{"x/c1[ip=4]", "x/c14", false},
	{"x/c1[ip=4]", "x/c1i", false},
	{"x/c1[ip=*]", "x/c1[ip=6]", true},
	{"x/c1[ip=*]", "x/c1[mtu=6]", false},
	{"x/c1[!a]", "x/c1b", false},
	{"x\\*", "x*", false},
	{"x\\*", "x\\y", true},
	{"*", "", true},
	{"*", "x/c1[ip=4]", true},
	{"", "", true},
	{"", "x", false},
	{"?", "", false},
	{"x/*", "x/deep/c1", true},
	{"*ip=4*", "x/c1[ip=4,mtu=1024]", true},
	{"x/c?[ip=?]", "x/c1[ip=4]", true},
	{"x/c?[ip=?]", "x/c1[ip=]", false},
	{"*a*b", "aab", true},
	{"*a*b", "aba", false},
	{"a**b", "ab", true},
	/* Every name matches itself, whatever characters it has. */
	{"x[service=*?]", "x[service=*?]", true},
};

TEST(test_match__patterns__mean_the_names_they_say)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		if (match_name(row[i].pattern, row[i].name) != row[i].matches)
			fail_msg("'%s' and '%s'", row[i].pattern, row[i].name);
}

TEST(test_match__words__are_whole)
{
	assert_true(match_word("ud uc", "ud"));
	assert_true(match_word("ud uc", "uc"));
	assert_false(match_word("query_srq srq_limit", "srq"));
	assert_true(match_word("query_srq srq_limit srq", "srq"));
	assert_false(match_word("", "ud"));
}
