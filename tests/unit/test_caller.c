/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: rdma-build/caller.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "rdma-build/caller.h"
#include "rdma-build/libraries.h"
#include "../help/folder.h"

/* Only the variables of the test. */
static struct value *describe(const char *const *variables, const char *const *names,
			      const char *const *more, bool all)
{
	struct value *job = value_map();

	clearenv();
	for (; *variables; variables++)
		assert_int_equal(putenv((char *)(uintptr_t)*variables), 0);
	if (all)
		caller_describe(job);
	else
		caller_describe_named(job, names, more);
	clearenv();
	return job;
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *env_of(const struct value *job, const char *name)
{
	return value_get_string(value_get(job, "env"), name, NULL);
}

TEST(test_caller__describe__has_all_that_the_caller_has)
{
	auto_value struct value *job = describe(LIST("A=1", "EMPTY=", "B=x=y"), NULL, NULL, true);

	assert_int_equal(value_get(job, "env")->map.count, 3);
	assert_string_equal(env_of(job, "A"), "1");
	assert_string_equal(env_of(job, "EMPTY"), "");
	assert_string_equal(env_of(job, "B"), "x=y");
	assert_int_equal(value_get(job, "env_bytes")->list.count, 0);
}

/* Bytes that are not UTF-8 must survive. */
TEST(test_caller__other_bytes__survive)
{
	auto_value struct value *job = describe(LIST("A=\xff\x01"), NULL, NULL, true);
	const struct value *bytes = value_get(job, "env_bytes");
	auto_free char *variable = NULL;

	assert_int_equal(value_get(job, "env")->map.count, 0);
	assert_int_equal(bytes->list.count, 1);
	variable = json_bytes_read(bytes->list.item[0]);
	assert_string_equal(variable, "A=\xff\x01");
}

TEST(test_caller__folder__is_the_current_one)
{
	auto_free char *before = getcwd(NULL, 0), *cwd = NULL, *real = NULL;
	auto_value struct value *job = NULL;
	struct folder f;

	folder_make(&f);
	real = realpath(f.path, NULL);
	assert_int_equal(chdir(f.path), 0);
	job = describe(LIST("A=1"), NULL, NULL, true);
	assert_int_equal(chdir(before), 0);
	cwd = json_bytes_read(value_get(job, "cwd"));
	assert_string_equal(cwd, real);
	folder_remove(&f);
}

/* The folder does not exist any more, so programs start in the root folder. */
TEST(test_caller__no_folder__is_the_root)
{
	auto_free char *before = getcwd(NULL, 0), *cwd = NULL;
	auto_value struct value *job = NULL;
	struct folder f;

	folder_make(&f);
	assert_int_equal(chdir(f.path), 0);
	folder_remove(&f);
	job = describe(LIST("A=1"), NULL, NULL, true);
	assert_int_equal(chdir(before), 0);
	cwd = json_bytes_read(value_get(job, "cwd"));
	assert_string_equal(cwd, "/");
}

TEST(test_caller__named__has_the_harmless_and_the_named)
{
	auto_value struct value *job = describe(
		LIST("PATH=/bin", "LANG=C", "LC_ALL=C", "TERM=vt", "TZ=UTC", "LANGUAGE=de", "SECRET=1",
		     "NAMED=2", "NAMED2=3", "PATHS=4", "HOME=/home/me", "USER=me", "LC=5"),
		LIST("NAMED", "MISSING"), LIST("MORE=6"), false);
	static const char *const wanted[] = {"PATH", "LANG", "LC_ALL", "TERM", "TZ", "LANGUAGE", "NAMED",
					     "MORE", "HOME", "USER", "LOGNAME", "SHELL"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!env_of(job, wanted[i]))
			fail_msg("%s is missing", wanted[i]);
	assert_int_equal(value_get(job, "env")->map.count, ARRAY_SIZE(wanted));
	assert_string_equal(env_of(job, "MORE"), "6");
	assert_string_equal(env_of(job, "HOME"), "/root");
	assert_string_equal(env_of(job, "USER"), "root");
}

/* The caller named its own home, or another one. */
TEST(test_caller__named_home__is_the_named_one)
{
	auto_value struct value *job = describe(LIST("HOME=/home/me", "USER=me"), LIST("HOME"),
						LIST("USER=guest"), false);

	assert_string_equal(env_of(job, "HOME"), "/home/me");
	assert_string_equal(env_of(job, "USER"), "guest");
	assert_string_equal(env_of(job, "LOGNAME"), "root");
}

TEST(test_caller__named_nothing__is_the_harmless)
{
	auto_value struct value *job = describe(LIST("PATH=/bin", "SECRET=1"), NULL, NULL, false);

	assert_string_equal(env_of(job, "PATH"), "/bin");
	assert_null(env_of(job, "SECRET"));
}

/* The libraries that this program has set aside get their old name again for the caller. */
TEST(test_caller__libraries__have_their_own_name_back)
{
	auto_value struct value *all = describe(LIST(LIBRARIES_KEPT "=/lib/mine"), NULL, NULL, true);
	auto_value struct value *none = describe(LIST(LIBRARIES_KEPT "=/lib/mine"), NULL, NULL, false);
	auto_value struct value *named = describe(LIST(LIBRARIES_KEPT "=/lib/mine"),
						  LIST("LD_LIBRARY_PATH"), NULL, false);

	assert_string_equal(env_of(all, "LD_LIBRARY_PATH"), "/lib/mine");
	assert_null(env_of(all, LIBRARIES_KEPT));
	assert_null(env_of(none, "LD_LIBRARY_PATH"));
	assert_null(env_of(none, LIBRARIES_KEPT));
	assert_string_equal(env_of(named, "LD_LIBRARY_PATH"), "/lib/mine");
}

TEST(test_caller__own_folder__is_the_last_of_the_path)
{
	auto_value struct value *job = describe(LIST("PATH=/bin"), NULL, NULL, false);
	auto_value struct value *bare = describe(LIST("LANG=C"), NULL, NULL, false);
	auto_free char *self = realpath("/proc/self/exe", NULL);

	*strrchr(self, '/') = '\0';
	caller_add_own_folder(job);
	assert_int_equal(strncmp(env_of(job, "PATH"), "/bin:/", 6), 0);
	assert_string_equal(env_of(job, "PATH") + 5, self);
	caller_add_own_folder(bare);
	assert_int_equal(strncmp(env_of(bare, "PATH"), "/bin:/usr/bin:/", 15), 0);
}
