/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: guest/record.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "guest/record.h"
#include "lib/base/fail.h"
#include "../help/folder.h"

static struct folder home;

static int begin(void **state)
{
	(void)state;
	folder_make(&home);
	folder_put(&home, "linux", "a kernel");
	folder_put(&home, "two words", "another");
	return 0;
}

static int end(void **state)
{
	(void)state;
	folder_remove(&home);
	return 0;
}

UNIT(.each = {begin, end});

static void is(const char *name, int wanted, const char *why)
{
	struct vbm_error err = {0};

	assert_int_equal(record_compare(home.path, name, &err), wanted);
	if (why && !strstr(err.msg, why))
		fail_msg("'%s' is not in '%s'", why, err.msg);
}

TEST(test_record__kept__is_the_same)
{
	is("linux", RECORD_NONE, NULL);
	record_keep(home.path, "linux");
	is("linux", RECORD_SAME, NULL);
	is("two words", RECORD_NONE, NULL);
	record_keep(home.path, "two words");
	is("two words", RECORD_SAME, NULL);
	is("linux", RECORD_SAME, NULL);
}

TEST(test_record__change__says_which)
{
	record_keep(home.path, "linux");
	folder_put(&home, "linux", "A kernel");
	is("linux", RECORD_DIFFERS, "/linux has other bytes than it had");
	folder_put(&home, "linux", "a kernel!");
	is("linux", RECORD_DIFFERS, "/linux has 9 bytes, and had 8");
	/* It was put there again. */
	record_keep(home.path, "linux");
	is("linux", RECORD_SAME, NULL);
}

/* One line for each file, and no line that cannot be read. */
TEST(test_record__lines__are_one_a_file)
{
	auto_free char *before = NULL, *after = NULL;

	folder_put(&home, "digests", "nonsense\n0123 8 linux\nxxh3 0123 x linux\nxxh3 0000000000000000 8 linux\nxxh3 00 1 gone\n");
	is("linux", RECORD_DIFFERS, "other bytes");
	record_keep(home.path, "linux");
	before = folder_text(&home, "digests");
	record_keep(home.path, "linux");
	after = folder_text(&home, "digests");
	assert_string_equal(before, after);
	assert_null(strstr(before, "nonsense"));
	assert_ptr_equal(strstr(before, "xxh3 00 1 gone\n"), before);
	assert_ptr_equal(strstr(before, " linux\n"), strrchr(before, ' '));
	is("linux", RECORD_SAME, NULL);
}

TEST(test_record__name__is_the_whole_name)
{
	folder_put(&home, "linux.xz", "short");
	record_keep(home.path, "linux.xz");
	is("linux", RECORD_NONE, NULL);
}

TEST(test_record__no_file__is_an_error)
{
	is("none", -ENOENT, "/none");
	record_keep(home.path, "none");
	assert_false(folder_has(&home, "digests"));
	/* A pipe would never end. */
	{
		auto_free char *path = folder_path(&home, "pipe");

		assert_int_equal(mkfifo(path, 0600), 0);
		record_keep(home.path, "pipe");
		assert_false(folder_has(&home, "digests"));
	}
}
