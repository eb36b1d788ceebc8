/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: catalogue/suite.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/suite.h"
#include "../help/folder.h"

static struct folder home;
static char *real, *before;	/* owned; the real path of the folder, and the current one before */

static int begin(void **state)
{
	(void)state;
	folder_make(&home);
	real = realpath(home.path, NULL);
	before = getcwd(NULL, 0);
	return chdir(real);
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(chdir(before), 0);
	folder_remove(&home);
	free(steal(&real));
	free(steal(&before));
	return 0;
}

UNIT(.each = {begin, end});

/* The suite of the folder @dir must be @wanted, below the folder of the test; NULL: no suite. */
static void suite_is(const char *dir, const char *wanted)
{
	auto_free char *path = xasprintf("%s/%s", real, dir);
	auto_free char *expected = wanted ? xasprintf("%s%s%s", real, *wanted ? "/" : "", wanted) : NULL;
	auto_free char *suite = suite_of(path);

	if (!wanted)
		assert_null(suite);
	else
		assert_string_equal(suite ? suite : "none", expected);
}

TEST(test_suite__nearest__wins)
{
	folder_put(&home, "a/clauses.tsv", "");
	folder_put(&home, "a/b/c/x.yaml", "");
	folder_put(&home, "a/b/verbatim-suite", "");
	suite_is("a", "a");
	suite_is("a/b", "a/b");
	suite_is("a/b/c", "a/b");
	/* A folder whose name only begins with the same letters is outside. */
	suite_is("a2", NULL);
}

TEST(test_suite__marks__are_four)
{
	folder_put(&home, "one/clauses.tsv", "");
	folder_put(&home, "two/coverage.tsv", "");
	folder_put(&home, "three/verbatim-suite", "");
	folder_put(&home, "four/findings/x.yaml", "");
	folder_put(&home, "x/scenarios/y/z.yaml", "");
	suite_is("one", "one");
	suite_is("two", "two");
	suite_is("three", "three");
	suite_is("four", "four");
	suite_is("x/scenarios/y", "x/scenarios");
	suite_is("x", NULL);
}

/* Other projects have such folders and files, too. */
TEST(test_suite__alike__is_none)
{
	folder_put(&home, "one/findings/x.txt", "");
	folder_put(&home, "two/findings/.x.yaml", "");
	folder_put(&home, "three/findings/.yaml", "");
	folder_put(&home, "four/clauses.tsv/x", "");
	folder_put(&home, "five/scenarios2/x", "");
	suite_is("one", NULL);
	suite_is("two", NULL);
	suite_is("three", NULL);
	suite_is("four", NULL);
	suite_is("five/scenarios2", NULL);
}

/* In a folder where everybody can write, anybody may have made the mark. */
TEST(test_suite__folder_of_everybody__is_none)
{
	auto_free char *all = xasprintf("%s/all", real);

	folder_put(&home, "all/clauses.tsv", "");
	folder_put(&home, "all/mine/x.yaml", "");
	assert_int_equal(chmod(all, 01777), 0);
	suite_is("all/mine", NULL);
	assert_int_equal(chmod(all, 0777), 0);
	suite_is("all/mine", "all");
	assert_int_equal(chmod(all, 01755), 0);
	suite_is("all/mine", "all");
}

/* The folder "scenarios" here counts when it is marked; its name alone is not enough. */
TEST(test_suite__default__is_the_marked_one_here)
{
	auto_free char *out = NULL, *marked = NULL;
	struct vbm_error err;

	folder_put(&home, "scenarios/x.yaml", "");
	if (suite_default(&out, &err) == 0)
		assert_string_not_equal(out, "scenarios");
	folder_put(&home, "scenarios/verbatim-suite", "");
	assert_int_equal(suite_default(&marked, &err), 0);
	assert_string_equal(marked, "scenarios");
}

TEST(test_suite__same_file__by_any_path)
{
	folder_put(&home, "x", "same");
	folder_put(&home, "y", "same");
	assert_int_equal(symlink("x", "link"), 0);
	assert_true(suite_same_file("x", "./x"));
	assert_true(suite_same_file("x", "link"));
	assert_false(suite_same_file("x", "y"));
	assert_false(suite_same_file("x", "none"));
	assert_false(suite_same_file("none", "none"));
}
