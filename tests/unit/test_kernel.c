/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: guest/kernel.c guest/kernel-image.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "base/file.h"
#include "guest/kernel.h"

/* Whether a kernel with these names matches. The strings are not freed. */
static bool matches(const char *name, const char *release, const char *suite, const char *variant,
		    const char *label)
{
	const struct kernel k = {
		.release = (char *)(uintptr_t)release,
		.suite = (char *)(uintptr_t)suite,
		.variant = (char *)(uintptr_t)variant,
		.label = (char *)(uintptr_t)label,
	};

	return kernel_name_matches(name, &k);
}

TEST(test_kernel__name__matches_prefix_at_a_number_end)
{
	assert_true(matches("6.1", "6.1.0-50-amd64", "bookworm", "", ""));
	assert_true(matches("6.1.0-50-amd64", "6.1.0-50-amd64", "bookworm", "", ""));
	assert_false(matches("6.1", "6.12.95+deb12-amd64", "bookworm-backports", "", ""));
	assert_false(matches("6.1.0-5", "6.1.0-50-amd64", "bookworm", "", ""));
	assert_false(matches("", "6.1.0-50-amd64", "", "", ""));
}

TEST(test_kernel__name__matches_whole_suite)
{
	assert_true(matches("bookworm", "6.1.0-50-amd64", "bookworm", "", ""));
	assert_false(matches("bookworm", "6.12.95", "bookworm-backports", "", ""));
}

TEST(test_kernel__name__matches_variant_and_label)
{
	assert_true(matches("debug", "7.3.4-uml-debug", "trixie-backports", "debug", ""));
	assert_true(matches("linux", "7.4.0-uml-linux", "", "", "linux"));
	assert_true(matches("linux-debug", "7.4.0-uml-linux-debug", "", "debug", "linux"));
	assert_false(matches("debug", "7.4.0-uml-linux-debug", "", "debug", "linux"));
	assert_false(matches("linux", "7.4.0-uml-linux-debug", "", "debug", "linux"));
}

TEST(test_kernel__compare__is_by_number)
{
	assert_true(kernel_compare("6.12.95+deb12-amd64", "6.1.0-50-amd64") > 0);
	assert_true(kernel_compare("6.1.0-9-amd64", "6.1.0-50-amd64") < 0);
	assert_true(kernel_compare("7.2.12", "6.99.1") > 0);
	assert_int_equal(kernel_compare("6.1", "6.1"), 0);
	assert_true(kernel_compare("6.1", "6.1.1") < 0);
}

TEST(test_kernel__image__says_its_release)
{
	auto_free char *image = xcalloc(1, 0x1000), *release = NULL;
	struct vbm_error err = {0};

	memcpy(image + 0x202, "HdrS", 4);
	image[0x20e] = 0x00;
	image[0x20f] = 0x02;
	strcpy(image + 0x400, "6.1.0-50-amd64 (someone) #1 SMP");
	assert_int_equal(kernel_image_release(image, 0x1000, &release, &err), 0);
	assert_string_equal(release, "6.1.0-50-amd64");
}

TEST(test_kernel__image__garbage_is_refused)
{
	auto_free char *image = xcalloc(1, 0x1000);
	struct vbm_error err = {0};
	char *release = NULL;

	assert_int_equal(kernel_image_release(image, 0x1000, &release, &err), -ENOEXEC);
	memcpy(image + 0x202, "HdrS", 4);
	assert_int_equal(kernel_image_release(image, 0x1000, &release, &err), -ENOEXEC);
	image[0x20f] = 0x7f;
	assert_int_equal(kernel_image_release(image, 0x1000, &release, &err), -ENOEXEC);
	assert_int_equal(kernel_image_release(image, 0x100, &release, &err), -ENOEXEC);
}

static void put_meta(enum kernel_kind kind, const char *release, const char *text)
{
	auto_free char *store = kernel_store(kind);
	auto_free char *dir = xasprintf("%s/%s", store, release);
	auto_free char *meta = xasprintf("%s/meta", dir);

	assert_int_equal(file_make_dirs(dir, NULL), 0);
	assert_int_equal(file_replace(meta, text, NULL), 0);
}

static void put_kernel(const char *release, const char *suite)
{
	auto_free char *text = xasprintf("release=%s\nsuite=%s\n", release, suite);

	put_meta(KERNEL_GUEST, release, text);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

TEST(test_kernel__store__newest_unless_a_default_is_set)
{
	char dir[] = "/tmp/verbatim-test-XXXXXX";
	struct vbm_error err = {0};
	struct kernel k;

	assert_non_null(mkdtemp(dir));
	setenv("XDG_CACHE_HOME", dir, 1);
	assert_int_equal(kernel_find(&k, KERNEL_GUEST, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "verbatim kernel fetch"));
	put_kernel("6.1.0-9-amd64", "bookworm");
	put_kernel("6.1.0-50-amd64", "bookworm");
	put_kernel("6.12.95+deb12-amd64", "bookworm-backports");
	assert_int_equal(kernel_find(&k, KERNEL_GUEST, NULL, &err), 0);
	assert_string_equal(k.release, "6.12.95+deb12-amd64");
	kernel_fini(&k);
	assert_int_equal(kernel_find(&k, KERNEL_GUEST, "bookworm", &err), 0);
	assert_string_equal(k.release, "6.1.0-50-amd64");
	kernel_fini(&k);
	assert_int_equal(kernel_set_default("6.1", &err), 0);
	assert_int_equal(kernel_find(&k, KERNEL_GUEST, NULL, &err), 0);
	assert_string_equal(k.release, "6.1.0-50-amd64");
	kernel_fini(&k);
	assert_int_equal(kernel_find(&k, KERNEL_GUEST, "bookwrm", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "did you mean 'bookworm'?"));
	assert_int_equal(kernel_set_default("9.9", &err), -ENOENT);
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void put_uml(const char *release, const char *suite, const char *variant,
		    const char *label)
{
	auto_free char *text = xasprintf("release=%s\nsuite=%s\nvariant=%s\nlabel=%s\n",
					 release, suite, variant, label);

	put_meta(KERNEL_UML, release, text);
}

static void assert_found(const char *name, const char *release)
{
	struct vbm_error err = {0};
	auto_kernel struct kernel k = {0};

	if (kernel_find(&k, KERNEL_UML, name, &err) < 0)
		fail_msg("%s: %s", name ? name : "the default", err.msg);
	assert_string_equal(k.release, release);
}

TEST(test_kernel__store__a_plain_program_unless_another_is_named)
{
	char dir[] = "/tmp/verbatim-test-XXXXXX";
	struct vbm_error err = {0};
	struct kernel k;

	assert_non_null(mkdtemp(dir));
	setenv("XDG_CACHE_HOME", dir, 1);
	assert_int_equal(kernel_find(&k, KERNEL_UML, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "verbatim kernel build"));
	put_uml("7.4.0-uml-linux", "", "", "linux");
	assert_found(NULL, "7.4.0-uml-linux");
	put_uml("7.3.4-uml", "sid", "", "");
	put_uml("7.3.4-uml-debug", "sid", "debug", "");
	put_uml("6.12.9-uml", "trixie", "", "");
	assert_found(NULL, "7.3.4-uml");
	assert_found("sid", "7.3.4-uml");
	assert_found("7.3", "7.3.4-uml");
	assert_found("7.3.4-uml-debug", "7.3.4-uml-debug");
	assert_found("debug", "7.3.4-uml-debug");
	assert_found("linux", "7.4.0-uml-linux");
	assert_int_equal(kernel_set_default("6.12", &err), 0);
	assert_found(NULL, "6.12.9-uml");
	put_kernel("7.5.1-amd64", "sid");
	/* Guests have their own kernels; the newest kernel of all does not matter. */
	assert_int_equal(kernel_find(&k, KERNEL_GUEST, NULL, &err), 0);
	assert_string_equal(k.release, "7.5.1-amd64");
	kernel_fini(&k);
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/*
 * A bisection leaves such a store: each release that was built, and the newest one is not
 * the last one built.
 */
TEST(test_kernel__store__a_label_is_what_came_last)
{
	char dir[] = "/tmp/verbatim-test-XXXXXX";

	assert_non_null(mkdtemp(dir));
	setenv("XDG_CACHE_HOME", dir, 1);
	put_meta(KERNEL_UML, "7.3.0-rc1-uml-linux", "label=linux\nstored=1700000000000000001\n");
	put_meta(KERNEL_UML, "7.2.0-uml-linux", "label=linux\nstored=1700000000000000002\n");
	put_meta(KERNEL_UML, "7.9.0-uml-linux", "label=linux\n");	/* stored by an older verbatim */
	assert_found("linux", "7.2.0-uml-linux");
	assert_found(NULL, "7.2.0-uml-linux");
	assert_found("7.3.0-rc1-uml-linux", "7.3.0-rc1-uml-linux");
	put_meta(KERNEL_UML, "7.3.0-uml-linux-debug",
		 "label=linux\nvariant=debug\nstored=1700000000000000003\n");
	put_meta(KERNEL_UML, "7.2.0-uml-linux-debug",
		 "label=linux\nvariant=debug\nstored=1700000000000000004\n");
	assert_found("linux", "7.2.0-uml-linux");
	assert_found("linux-debug", "7.2.0-uml-linux-debug");
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/*
 * The name that "kernel build" prints means exactly that kernel, even if another name
 * begins with it.
 */
TEST(test_kernel__store__a_whole_release_is_this_one)
{
	char dir[] = "/tmp/verbatim-test-XXXXXX";

	assert_non_null(mkdtemp(dir));
	setenv("XDG_CACHE_HOME", dir, 1);
	put_uml("7.2.0-uml-linux", "", "", "linux");
	put_uml("7.2.0-uml-linux-mine", "", "", "linux-mine");
	assert_found("7.2.0-uml-linux", "7.2.0-uml-linux");
	assert_found("7.2.0-uml-linux-mine", "7.2.0-uml-linux-mine");
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define NO_STORE 15	/* exit status: no folder can be made */

/* 0 when a user without a home gets a store in a private folder. */
static int homeless_store(uid_t uid, const char *below)
{
	auto_free char *store = NULL;
	struct stat st;

	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	if (setuid(uid) < 0)
		return 10;
	store = kernel_store(KERNEL_GUEST);
	if (file_make_dirs(store, NULL) < 0)
		return NO_STORE;
	if (lstat(store, &st) < 0 || st.st_uid != uid)
		return 11;
	if (strncmp(store, "/tmp/verbatim-", 14) != 0 || strncmp(store, below, strlen(below)) != 0)
		return 12;
	*strchr(store + strlen("/tmp/"), '/') = '\0';
	if (lstat(store, &st) < 0 || st.st_uid != uid || st.st_mode & 077)
		return 13;
	return nftw(store, remove_one, 8, FTW_DEPTH | FTW_PHYS) ? 14 : 0;
}

static void assert_homeless_store(uid_t uid, const char *below, int want)
{
	int null, status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		dup2(null, STDERR_FILENO);
		_exit(homeless_store(uid, below));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), want);
}

/* Boot images come from the cache, so no other user may be able to put one there. */
TEST(test_kernel__store_of_who_has_no_home__is_private)
{
	const uid_t uid = 20000 + getpid() % 40000;	/* of no user, and of no other test */
	char ours[64];

	if (geteuid() != 0 || getpwuid(uid)) {
		printf("# skipped: becoming a user without a home needs root\n");
		skip();
	}
	snprintf(ours, sizeof(ours), "/tmp/verbatim-%u", uid);
	assert_homeless_store(uid, ours, 0);
	assert_int_equal(mkdir(ours, 0777), 0);	/* now the folder belongs to another user, so there is no store */
	assert_homeless_store(uid, ours, NO_STORE);
	assert_int_equal(rmdir(ours), 0);
}
