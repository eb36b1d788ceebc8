/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/cache.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

static char dir[64];

/* Nobody, not even root, can make a folder below /proc. */
static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/verbatim-test.XXXXXX");
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
	unsetenv("XDG_RUNTIME_DIR");
	unsetenv("TMPDIR");
	return 0;
}

static int tear_down(void **state)
{
	auto_free char *command = xasprintf("rm -rf %s", dir);

	(void)state;
	return system(command);
}

UNIT(.all = {set_up, tear_down});

static char *scratch(void)
{
	struct vbm_error err = {0};
	char *path = NULL;

	if (cache_scratch_make("test", &path, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(access(path, W_OK), 0);
	return path;
}

static bool is_below(const char *path, const char *above)
{
	return !strncmp(path, above, strlen(above));
}

TEST(test_cache__scratch__is_in_the_cache_where_one_can_write)
{
	auto_free char *path = NULL, *wanted = xasprintf("%s/verbatim/test", dir);

	setenv("XDG_CACHE_HOME", dir, 1);
	path = scratch();
	assert_string_equal(path, wanted);
	setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
}

TEST(test_cache__scratch__is_else_of_this_user_alone)
{
	auto_free char *path = NULL, *wanted = xasprintf("%s/run/verbatim/test", dir);
	auto_free char *run = xasprintf("%s/run", dir);
	struct stat st;

	assert_int_equal(mkdir(run, 0700), 0);
	setenv("XDG_RUNTIME_DIR", run, 1);
	path = scratch();
	assert_string_equal(path, wanted);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	unsetenv("XDG_RUNTIME_DIR");
}

TEST(test_cache__scratch__is_not_what_somebody_else_made)
{
	auto_free char *tmp = xasprintf("%s/tmp", dir), *own = NULL, *open = NULL, *linked = NULL;
	auto_free char *made = xasprintf("%s/verbatim-%u", tmp, geteuid());

	assert_int_equal(mkdir(tmp, 0700), 0);
	setenv("TMPDIR", tmp, 1);
	own = scratch();
	assert_true(is_below(own, made));
	assert_int_equal(chmod(made, 0777), 0);
	open = scratch();
	assert_false(is_below(open, tmp));
	assert_int_equal(rmdir(own), 0);
	assert_int_equal(rmdir(made), 0);
	assert_int_equal(symlink(dir, made), 0);
	linked = scratch();
	assert_false(is_below(linked, tmp));
	unsetenv("TMPDIR");
}

TEST(test_cache__one_that_cannot_be_made__says_what_to_set)
{
	struct vbm_error err = {0};

	assert_true(cache_make("/proc/nowhere/verbatim/kernels", &err) < 0);
	assert_non_null(strstr(err.msg, "; set XDG_CACHE_HOME to a folder that can be written"));
}

/*
 * A user without an entry in the table of users has no home. Its folder in /tmp belongs to
 * root here, so this user has no cache, and not even root can make the one that its path names.
 */
TEST(test_cache__without_a_home__is_where_nobody_can_make_a_folder)
{
	uid_t stranger = 1000000000 + (uid_t)getpid();
	auto_free char *path = NULL, *tmp = xasprintf("/tmp/verbatim-%u", stranger);
	struct vbm_error err = {0};

	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir(tmp, 0755), 0);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_int_equal(setresuid(stranger, stranger, 0), 0);
	path = cache_path("kernels");
	assert_int_equal(setresuid(0, 0, 0), 0);
	assert_int_equal(rmdir(tmp), 0);
	assert_false(is_below(path, tmp));
	assert_true(cache_make(path, &err) < 0);
	setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
}
