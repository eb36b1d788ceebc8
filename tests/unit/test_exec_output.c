/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/exec-output.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "session/exec-report.h"
#include "session/exec.h"
#include "../help/descriptors.h"
#include "../help/folder.h"
#include "whole-event.h"

static struct exec_command commands[] = {
	{.host = "a", .text = "one"},
	{.host = "b", .text = "two\twords\n\\three"},
	{.host = "a", .text = ""},
};
static const struct exec_options options = {.commands = commands, .count = 3};

struct output {
	struct folder home;
	char *path;		/* owned; the path of the folder, which does not exist yet */
	struct exec_output out;
	struct vbm_error err;
	int descriptors;
};

static int begin(void **state)
{
	static struct output o;

	o = (struct output){.out.dir_fd = -1, .descriptors = open_descriptors()};
	folder_make(&o.home);
	o.path = folder_path(&o.home, "x/out");
	*state = &o;
	return 0;
}

static int end(void **state)
{
	struct output *o = *state;

	exec_output_close(&o->out, &options);
	folder_remove(&o->home);
	free(o->path);
	assert_int_equal(open_descriptors(), o->descriptors);
	return 0;
}

UNIT(.each = {begin, end});

static void open_it(struct output *o)
{
	if (exec_output_open(&o->out, o->path, &options, &o->err) < 0)
		fail_msg("%s", o->err.msg);
}

static void must_have(const struct output *o, const char *name, const char *wanted)
{
	auto_free char *path = xasprintf("x/out/%s", name), *text = folder_text(&o->home, path);

	if (!text)
		fail_msg("there is no %s", name);
	assert_string_equal(text, wanted);
}

TEST(test_output__streams__have_a_file_each)
{
	struct output *o = *state;

	open_it(o);
	assert_int_equal(exec_output_write(&o->out, &options, 0, 1, "x\0y", 3, &o->err), 0);
	assert_int_equal(exec_output_write(&o->out, &options, 1, 1, "b", 1, &o->err), 0);
	assert_int_equal(exec_output_write(&o->out, &options, 0, 2, "e", 1, &o->err), 0);
	assert_int_equal(exec_output_write(&o->out, &options, 0, 1, "z\n", 2, &o->err), 0);
	assert_int_equal(exec_output_write(&o->out, &options, 2, 1, "3", 1, &o->err), 0);
	must_have(o, "1-a.err", "e");
	must_have(o, "2-b.out", "b");
	must_have(o, "3-a.out", "3");
	assert_false(folder_has(&o->home, "x/out/2-b.err"));
	{
		auto_free char *path = xasprintf("%s/1-a.out", o->path);
		struct stat st;

		/* All bytes of a program, in the order of their arrival. */
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, 5);
	}
}

/* One line for each command, whatever its text. */
TEST(test_output__commands__are_a_table)
{
	struct output *o = *state;

	open_it(o);
	exec_output_status(&o->out, 1, 7);
	exec_output_status(&o->out, 2, 0);
	exec_output_close(&o->out, &options);
	must_have(o, "commands.tsv", "1\ta\t-\tone\n2\tb\t7\ttwo\\twords\\n\\\\three\n3\ta\t0\t\n");
	/* A second close does nothing. */
	assert_int_equal(o->out.dir_fd, -1);
	exec_output_close(&o->out, &options);
}

TEST(test_output__counters__are_a_table)
{
	struct output *o = *state;
	auto_value struct value *event = value_map();
	struct value *values = value_map();

	open_it(o);
	value_set_string(event, "event", "counters");
	value_set_string(event, "host", "b\t");
	value_set(event, "values", values);
	exec_output_counters(&o->out, event);
	assert_false(folder_has(&o->home, "x/out/counters.tsv"));
	value_set_int(values, "sent", 3);
	value_set_int(values, "a\nb", -1);
	exec_output_counters(&o->out, event);
	exec_output_counters(&o->out, event);
	must_have(o, "counters.tsv", "b\\t\tsent\t3\nb\\t\ta\\nb\t-1\nb\\t\tsent\t3\nb\\t\ta\\nb\t-1\n");
}

TEST(test_output__folder__has_to_be_empty)
{
	struct output *o = *state;

	folder_put(&o->home, "x/out/.hidden", "");
	assert_int_equal(exec_output_open(&o->out, o->path, &options, &o->err), -EEXIST);
	assert_non_null(strstr(o->err.msg, o->path));
	assert_int_equal(o->out.dir_fd, -1);
}

TEST(test_output__folder__has_one_run)
{
	struct exec_output other = {.dir_fd = -1};
	struct output *o = *state;

	open_it(o);
	assert_int_equal(exec_output_open(&other, o->path, &options, &o->err), -EBUSY);
	assert_non_null(strstr(o->err.msg, o->path));
	assert_int_equal(other.dir_fd, -1);
}

TEST(test_output__no_folder__is_an_error)
{
	struct output *o = *state;

	folder_put(&o->home, "x/out", "a file");
	assert_true(exec_output_open(&o->out, o->path, &options, &o->err) < 0);
	assert_non_null(strstr(o->err.msg, o->path));
}

/* The guest or somebody else made a link of that name; its target stays unchanged. */
TEST(test_output__name_that_is_there__is_left_alone)
{
	struct output *o = *state;
	auto_free char *link = xasprintf("%s/1-a.out", o->path), *note = xasprintf("%s/notes.txt", o->path);
	auto_free char *target = folder_path(&o->home, "target"), *text = NULL, *said = NULL;
	struct overheard heard;

	folder_put(&o->home, "target", "precious");
	open_it(o);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(symlink(target, note), 0);
	assert_int_equal(exec_output_write(&o->out, &options, 0, 1, "x", 1, &o->err), -EEXIST);
	assert_non_null(strstr(o->err.msg, "/x/out/1-a.out: File exists"));
	overhear(&heard, STDERR_FILENO);
	exec_output_note(&o->out, "notes.txt", "x");
	said = overheard_text(&heard);
	assert_non_null(strstr(said, "/x/out/notes.txt: File exists"));
	text = folder_text(&o->home, "target");
	assert_string_equal(text, "precious");
}

/* The folder may be moved while programs run. */
TEST(test_output__folder_that_moves__is_still_the_folder)
{
	struct output *o = *state;
	auto_free char *moved = folder_path(&o->home, "moved"), *text = NULL;

	open_it(o);
	assert_int_equal(rename(o->path, moved), 0);
	exec_output_note(&o->out, "kernel.txt", "one\n");
	exec_output_note(&o->out, "kernel.txt", "two\n");
	text = folder_text(&o->home, "moved/kernel.txt");
	assert_string_equal(text, "one\ntwo\n");
}

TEST(test_output__none__does_nothing)
{
	auto_value struct value *event = value_map();
	struct output *o = *state;

	assert_int_equal(exec_output_open(&o->out, NULL, &options, &o->err), 0);
	assert_int_equal(exec_output_write(&o->out, &options, 0, 1, "x", 1, &o->err), 0);
	exec_output_status(&o->out, 0, 1);
	exec_output_note(&o->out, "notes.txt", "x");
	value_set_string(event, "event", "counters");
	make_whole(event);
	exec_output_counters(&o->out, event);
	assert_int_equal(o->out.files, 0);
}
