/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job-run/execute.c */
#include "cmocka_all.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "job-run/execute.h"
#include "../help/variant.h"

/* Lines 1 to 8; a waits with the first. */
static const char items[] =
	"[{'actor': 0, 'step': 'note', 'at': [1, 1, 0]}, {'actor': 0, 'step': 'crash', 'at': [2, 1, 0]},"
	" {'actor': 1, 'step': 'note', 'at': [3, 1, 0]}, {'actor': 0, 'step': 'note', 'at': [4, 1, 0]},"
	" {'actor': 1, 'step': 'exit', 'at': [5, 1, 0]}, {'actor': 2, 'step': 'note', 'at': [6, 1, 0]},"
	" {'actor': 1, 'step': 'note', 'at': [7, 1, 0]}, {'actor': 1, 'step': 'stall', 'at': [8, 1, 0]}]";

static void must_say(size_t from, size_t to, const char *wanted)
{
	auto_free char *said = NULL;
	struct plan plan = {0};

	make_variant(&plan, "['a', 'b', 'a.1']", items);
	said = execute_not_begun(&plan.item[0], 0, from, to);
	plan_fini(&plan);
	if (!wanted)
		assert_null(said);
	else
		assert_string_equal(said, wanted);
}

TEST(test_not_begun__one__is_named)
{
	must_say(1, 3, "; b.note (line 3) had not begun: it comes after a.crash (line 2), which waits for line 1");
}

/* An actor does not wait for its own steps, but maybe for another process of its host. */
TEST(test_not_begun__own__are_left_out)
{
	must_say(1, 2, NULL);
	must_say(3, 4, NULL);
	must_say(3, 6, "; b.exit (line 5), a.1.note (line 6) had not begun: they come after a.note (line 4), which "
		       "waits for line 1");
}

TEST(test_not_begun__many__are_counted)
{
	must_say(1, 6, "; b.note (line 3), b.exit (line 5), a.1.note (line 6) had not begun: they come after "
		       "a.crash (line 2), which waits for line 1");
	must_say(1, 8, "; b.note (line 3), b.exit (line 5), a.1.note (line 6) and 2 more had not begun: they come "
		       "after a.crash (line 2), which waits for line 1");
}

TEST(test_not_begun__none__says_nothing)
{
	must_say(1, 1, NULL);
	must_say(8, 8, NULL);
}
