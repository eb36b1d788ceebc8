/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lane/kept.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lane/kept.h"
#include "lib/base/fail.h"
#include "../help/descriptors.h"
#include "../help/folder.h"

/* The folder of --output, and the folder in it for a guest. */
struct run {
	struct folder output;
	char *guest;	/* owned; a path */
	struct text said;
};

static int begin(void **state)
{
	static struct run r;

	memset(&r, 0, sizeof(r));
	folder_make(&r.output);
	assert_int_equal(kept_make(r.output.path, &r.guest, NULL), 0);
	*state = &r;
	return 0;
}

static int end(void **state)
{
	struct run *r = *state;

	folder_remove(&r->output);
	free(r->guest);
	text_fini(&r->said);
	return 0;
}

UNIT(.each = {begin, end});

static void hear(const char *line, void *arg)
{
	struct run *r = arg;

	text_addf(&r->said, "%s\n", line);
}

static void put(const struct run *r, const char *name)
{
	struct folder guest;

	assert_true(strlen(r->guest) < sizeof(guest.path));
	strcpy(guest.path, r->guest);
	folder_put(&guest, name, name);
}

static char *in_guest(const struct run *r, const char *name)
{
	return xasprintf("%s/%s", r->guest, name);
}

/* The guest's folder is removed, whatever it contains, and no descriptor is left. */
static void take(struct run *r)
{
	int open = open_descriptors();

	kept_take(r->guest, r->output.path, hear, r);
	assert_int_equal(access(r->guest, F_OK), -1);
	assert_int_equal(open_descriptors(), open);
}

static void must_say_left_out(const struct run *r, int count)
{
	auto_free char *head = xasprintf("%d files or folders that a guest made", count);

	assert_non_null(r->said.s);
	assert_ptr_equal(strstr(r->said.s, head), r->said.s);
}

TEST(test_kept__files_of_hosts_and_the_capture__are_taken)
{
	struct run *r = *state;
	auto_free char *core = NULL, *capture = NULL;

	put(r, "a/server.12.core");
	put(r, "runner/x.txt");
	put(r, KEPT_CAPTURE);
	take(r);
	core = folder_text(&r->output, "a/server.12.core");
	capture = folder_text(&r->output, KEPT_CAPTURE);
	assert_string_equal(core, "a/server.12.core");
	assert_string_equal(capture, KEPT_CAPTURE);
	assert_true(folder_has(&r->output, "runner/x.txt"));
	assert_int_equal(r->said.len, 0);
}

TEST(test_kept__other_names__are_left_out)
{
	struct run *r = *state;
	auto_free char *longest = xcalloc(1, 210), *fits = NULL;

	put(r, "beside");
	put(r, "A/x");
	put(r, "a/.hidden");
	put(r, "a/-option");
	put(r, "a/two words");
	put(r, "a/sub/x");
	memset(longest, 'x', 202);
	memcpy(longest, "a/", 2);
	put(r, longest);
	strcat(longest, "x");
	put(r, longest);
	take(r);
	/* Two of them in the folder itself, and five on host a. */
	must_say_left_out(r, 7);
	assert_false(folder_has(&r->output, "beside"));
	assert_false(folder_has(&r->output, "A"));
	assert_false(folder_has(&r->output, "a/.hidden"));
	assert_false(folder_has(&r->output, "a/-option"));
	assert_false(folder_has(&r->output, "a/two words"));
	assert_false(folder_has(&r->output, "a/sub"));
	assert_false(folder_has(&r->output, longest));
	fits = xstrndup(longest, 202);
	assert_true(folder_has(&r->output, fits));
}

/* A name that exists in the output leads to a place that the guest chose, or to a report. */
TEST(test_kept__what_is_there_already__stays)
{
	struct run *r = *state;
	auto_free char *text = NULL, *report = NULL;

	folder_put(&r->output, KEPT_CAPTURE, "ours");
	folder_put(&r->output, "a/x", "ours");
	put(r, KEPT_CAPTURE);
	put(r, "a/x");
	take(r);
	must_say_left_out(r, 2);
	text = folder_text(&r->output, KEPT_CAPTURE);
	report = folder_text(&r->output, "a/x");
	assert_string_equal(text, "ours");
	assert_string_equal(report, "ours");
}

TEST(test_kept__links_and_devices__are_left_out)
{
	struct run *r = *state;
	auto_free char *soft = NULL, *hard = NULL, *fifo = NULL, *file = NULL, *folder = NULL;

	put(r, "a/file");
	soft = in_guest(r, "a/soft");
	hard = in_guest(r, "a/hard");
	fifo = in_guest(r, "a/fifo");
	file = in_guest(r, "a/file");
	folder = in_guest(r, "b");
	assert_int_equal(symlink("/etc/passwd", soft), 0);
	assert_int_equal(link(file, hard), 0);
	assert_int_equal(mkfifo(fifo, 0666), 0);
	assert_int_equal(symlink("/", folder), 0);
	take(r);
	/* Both names of the file with two names are left out, too. */
	must_say_left_out(r, 5);
	assert_false(folder_has(&r->output, "a/soft"));
	assert_false(folder_has(&r->output, "a/hard"));
	assert_false(folder_has(&r->output, "a/file"));
	assert_false(folder_has(&r->output, "a/fifo"));
	assert_false(folder_has(&r->output, "b"));
}

TEST(test_kept__size__has_a_limit)
{
	struct run *r = *state;
	auto_free char *large = NULL, *fits = NULL;

	put(r, "a/large");
	put(r, "a/fits");
	large = in_guest(r, "a/large");
	fits = in_guest(r, "a/fits");
	if (truncate(large, (64LL << 30) + 1) < 0 || truncate(fits, 64LL << 30) < 0) {
		print_message("# skipped: the file system of /tmp has no files of 64 GB\n");
		skip();
	}
	take(r);
	must_say_left_out(r, 1);
	assert_false(folder_has(&r->output, "a/large"));
	assert_true(folder_has(&r->output, "a/fits"));
}

TEST(test_kept__modes__are_ours)
{
	struct run *r = *state;
	auto_free char *path = NULL, *secret = NULL, *taken = NULL;
	struct stat st;

	put(r, "a/program");
	put(r, "a/secret");
	path = in_guest(r, "a/program");
	secret = in_guest(r, "a/secret");
	assert_int_equal(chmod(path, 06777), 0);
	assert_int_equal(chmod(secret, 0), 0);
	take(r);
	taken = folder_path(&r->output, "a/program");
	assert_int_equal(stat(taken, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	free(steal(&taken));
	taken = folder_path(&r->output, "a/secret");
	assert_int_equal(stat(taken, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, geteuid());
}

/* The guest may make folders that nobody can open, and nest them. */
TEST(test_kept__locked_and_deep_folders__go)
{
	struct run *r = *state;
	auto_free char *inner = NULL, *outer = NULL;

	put(r, "x.1/y/z/file");
	inner = in_guest(r, "x.1/y");
	outer = in_guest(r, "x.1");
	assert_int_equal(chmod(inner, 0), 0);
	assert_int_equal(chmod(outer, 0), 0);
	assert_int_equal(chmod(r->guest, 0), 0);
	take(r);
	must_say_left_out(r, 1);
}

/*
 * Of a guest that makes files without end, at most 4096 are taken. Its folder is the first
 * one, and the rest is ignored. Several names of one file are quick to make.
 */
TEST(test_kept__too_many__ends)
{
	struct run *r = *state;
	auto_free char *file = NULL;
	int i;

	put(r, "a/0");
	file = in_guest(r, "a/0");
	for (i = 1; i < 4100; i++) {
		auto_free char *name = xasprintf("%s/a/%d", r->guest, i);

		assert_int_equal(link(file, name), 0);
	}
	take(r);
	must_say_left_out(r, 4095);
}

TEST(test_kept__make__needs_its_folder)
{
	struct run *r = *state;
	auto_free char *nowhere = folder_path(&r->output, "none");
	struct vbm_error err = {0};
	char *path = NULL;

	assert_int_equal(kept_make(nowhere, &path, &err), -ENOENT);
	assert_non_null(strstr(err.msg, nowhere));
	assert_null(path);
	/* There is no listener, and nothing to take. */
	kept_take(nowhere, r->output.path, NULL, NULL);
	kept_take(nowhere, r->output.path, hear, r);
	assert_non_null(strstr(r->said.s, "cannot be removed"));
}
