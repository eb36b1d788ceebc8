/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: worker/seen.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "worker/seen.h"
#include "lib/base/fail.h"
#include "../help/folder.h"

struct view {
	struct folder home;
	struct seen seen;
	struct vbm_error err;
};

static int begin(void **state)
{
	static struct view v;

	memset(&v, 0, sizeof(v));
	folder_make(&v.home);
	folder_put(&v.home, "folder/file", "");
	setenv("HOME", "/nowhere", 1);
	*state = &v;
	return 0;
}

static int end(void **state)
{
	struct view *v = *state;

	seen_fini(&v->seen);
	folder_remove(&v->home);
	return 0;
}

UNIT(.each = {begin, end});

static char *real(const struct view *v, const char *name)
{
	auto_free char *path = folder_path(&v->home, name);
	char *found = realpath(path, NULL);

	assert_non_null(found);
	return found;
}

TEST(test_seen__share__is_a_real_path)
{
	struct view *v = *state;
	auto_free char *link = folder_path(&v->home, "link"), *folder = real(v, "folder");
	auto_free char *readonly = xasprintf("%s:ro", link);

	assert_int_equal(symlink(folder, link), 0);
	assert_int_equal(seen_share(&v->seen, link, &v->err), 0);
	assert_int_equal(seen_share(&v->seen, readonly, &v->err), 0);
	assert_int_equal(v->seen.shares, 2);
	assert_string_equal(v->seen.share[0].path, folder);
	assert_false(v->seen.share[0].readonly);
	assert_string_equal(v->seen.share[1].path, folder);
	assert_true(v->seen.share[1].readonly);
}

/* A name that consists only of the suffix is a normal name. */
TEST(test_seen__share__its_suffix_needs_a_folder)
{
	struct view *v = *state;

	assert_int_equal(seen_share(&v->seen, ":ro", &v->err), -ENOENT);
	assert_non_null(strstr(v->err.msg, "cannot share :ro: "));
	assert_int_equal(v->seen.shares, 0);
}

TEST(test_seen__share__refuses_what_is_no_folder)
{
	struct view *v = *state;
	auto_free char *file = folder_path(&v->home, "folder/file"), *none = folder_path(&v->home, "none");

	assert_int_equal(seen_share(&v->seen, file, &v->err), -ENOTDIR);
	assert_non_null(strstr(v->err.msg, file));
	assert_int_equal(seen_share(&v->seen, none, &v->err), -ENOENT);
	assert_non_null(strstr(v->err.msg, none));
	assert_int_equal(v->seen.shares, 0);
}

TEST(test_seen__share__refuses_what_each_host_has)
{
	static const char *const bad[] = {"/", "/proc", "/proc/self", "/sys", "/sys/class", "/dev", "/dev/",
					  "/dev/shm", "/dev/../proc:ro"};
	struct view *v = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (seen_share(&v->seen, bad[i], &v->err) != -EINVAL)
			fail_msg("%s may be shared", bad[i]);
		assert_non_null(strstr(v->err.msg, "has its own"));
	}
	assert_int_equal(v->seen.shares, 0);
}

/* Names that only begin like one of these, and names below the folder of shared memory. */
TEST(test_seen__share__takes_neighbours)
{
	struct view *v = *state;
	char below[] = "/dev/shm/verbatim-test.XXXXXX";

	assert_int_equal(seen_share(&v->seen, "/usr", &v->err), 0);
	if (!mkdtemp(below)) {
		print_message("# skipped: no folder below /dev/shm\n");
		skip();
	}
	assert_int_equal(seen_share(&v->seen, below, &v->err), 0);
	rmdir(below);
}

TEST(test_seen__add__names_its_option)
{
	struct view *v = *state;
	auto_free char *file = real(v, "folder/file"), *none = folder_path(&v->home, "none");
	auto_free char *crooked = folder_path(&v->home, "folder/../folder//file");

	assert_int_equal(seen_add(&v->seen, crooked, "--see", &v->err), 0);
	assert_int_equal(v->seen.paths, 1);
	assert_string_equal(v->seen.path[0], file);
	assert_null(v->seen.path[1]);
	assert_int_equal(seen_add(&v->seen, none, "--see", &v->err), -ENOENT);
	assert_ptr_equal(strstr(v->err.msg, "--see "), v->err.msg);
	assert_non_null(strstr(v->err.msg, none));
	assert_int_equal(v->seen.paths, 1);
}

TEST(test_seen__own__is_the_folder_of_the_program)
{
	struct view *v = *state;
	auto_free char *self = realpath("/proc/self/exe", NULL);

	*strrchr(self, '/') = '\0';
	seen_add_own(&v->seen);
	assert_int_equal(v->seen.paths, 1);
	assert_string_equal(v->seen.path[0], self);
}

/* Whether the suite @root is visible; if not, a warning must name it. */
static bool suite_is_seen(struct view *v, const char *root)
{
	size_t before = v->seen.paths;
	auto_free char *said = NULL;
	struct overheard o;

	overhear(&o, STDERR_FILENO);
	seen_add_suite(&v->seen, root);
	said = overheard_text(&o);
	assert_int_equal(v->seen.paths - before, !*said);
	if (*said)
		assert_non_null(strstr(said, root));
	return !*said;
}

TEST(test_seen__suite__is_no_more_than_a_suite)
{
	struct view *v = *state;
	auto_free char *folder = real(v, "folder"), *home = NULL, *next = NULL, *all = NULL;

	folder_put(&v->home, "folder/me/x", "");
	folder_put(&v->home, "folder/me2/x", "");
	folder_put(&v->home, "all/x", "");
	home = real(v, "folder/me");
	next = real(v, "folder/me2");
	all = real(v, "all");
	assert_true(suite_is_seen(v, folder));
	/*
	 * The root, the home, and the folders above the home are left out; folders in it
	 * or beside it are not.
	 */
	setenv("HOME", home, 1);
	assert_false(suite_is_seen(v, "/"));
	assert_false(suite_is_seen(v, home));
	assert_false(suite_is_seen(v, folder));
	assert_true(suite_is_seen(v, next));
	setenv("HOME", next, 1);
	assert_true(suite_is_seen(v, home));
	/* A user without a home. */
	setenv("HOME", "/", 1);
	assert_true(suite_is_seen(v, folder));
	setenv("HOME", "", 1);
	assert_true(suite_is_seen(v, folder));
	/* A folder in which all users store files, and one in which all users may write. */
	assert_int_equal(chmod(all, 01777), 0);
	assert_false(suite_is_seen(v, all));
	assert_int_equal(chmod(all, 0777), 0);
	assert_true(suite_is_seen(v, all));
	assert_int_equal(chmod(all, 01755), 0);
	assert_true(suite_is_seen(v, all));
}

TEST(test_seen__put__all_paths_or_some)
{
	struct lane_options opts = {0};
	struct view *v = *state;

	/* Nothing was added, so nothing is visible; an empty list does not mean everything. */
	seen_put(&v->seen, &opts);
	assert_non_null(opts.see);
	assert_null(opts.see[0]);
	assert_int_equal(opts.shares, 0);
	assert_int_equal(seen_add(&v->seen, "/usr", "--see", NULL), 0);
	assert_int_equal(seen_share(&v->seen, v->home.path, NULL), 0);
	seen_put(&v->seen, &opts);
	assert_string_equal(opts.see[0], "/usr");
	assert_null(opts.see[1]);
	assert_int_equal(opts.shares, 1);
	assert_ptr_equal(opts.share, v->seen.share);
	opts.see = NULL;
	v->seen.all = true;
	seen_put(&v->seen, &opts);
	assert_null(opts.see);
}
