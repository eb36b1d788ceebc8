/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/search-path.c */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/search-path.h"
#include "base/xalloc.h"

TEST(test_search_path__of__is_the_last_one_or_the_default)
{
	char *none[] = {(char[]){"PATHS=/x"}, NULL};
	char *two[] = {(char[]){"PATH=/x"}, (char[]){"A=b"}, (char[]){"PATH=/y:/z"}, NULL};

	assert_string_equal(search_path_of(none), SEARCH_PATH_DEFAULT);
	assert_string_equal(search_path_of(two), "/y:/z");
}

static void put(const char *dir, const char *name, mode_t mode)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
}

static void drop(const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);

	assert_int_equal(unlink(path), 0);
}

TEST(test_search_path__has__files_that_may_be_executed)
{
	char dir[] = "/tmp/verbatim-test-path-XXXXXX";
	auto_free char *folders = NULL, *program = NULL, *link = NULL;
	auto_close int root = -1;

	assert_non_null(mkdtemp(dir));
	root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	put(dir, "program", 0700);
	put(dir, "text", 0600);
	folders = xasprintf("/nowhere:%s", dir);
	program = xasprintf("%s/program", dir);
	link = xasprintf("%s/link", dir);
	assert_int_equal(symlink("/program", link), 0);

	assert_true(search_path_has(-1, folders, "program"));
	assert_false(search_path_has(-1, folders, "text"));
	assert_false(search_path_has(-1, folders, "other"));
	assert_false(search_path_has(-1, "/", dir + 1));
	assert_true(search_path_is_executable(-1, program));
	/* All paths start at the root folder, and so do the targets of links. */
	assert_true(search_path_has(root, "/nowhere:/", "program"));
	assert_true(search_path_has(root, "/", "link"));
	assert_false(search_path_has(-1, folders, "link"));
	assert_false(search_path_has(root, folders, "program"));
	drop(dir, "link");
	drop(dir, "program");
	drop(dir, "text");
	assert_int_equal(rmdir(dir), 0);
}
