/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/exec-cores.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lane/lane.h"
#include "session/exec-report.h"
#include "../help/folder.h"

#define BOOT "Booting Linux\n"
#define OOPS "BUG: kernel NULL pointer dereference\n"

/* The console of the lane; NULL: it has no console. */
static const char *on_console;

static char *console(struct lane *lane)
{
	(void)lane;
	return on_console ? xstrdup(on_console) : NULL;
}

static const struct lane_ops ops = {.console = console};

/* The message about @text; *@kept is the text of a new file below TMPDIR, or NULL. */
static char *say(const char *text, bool head, const char *artifacts, bool printed, char **kept)
{
	struct lanes lanes = {.ops = &ops, .opts.artifacts = artifacts};
	struct lane lane = {.lanes = &lanes};
	char *said, *path, *end;
	struct overheard o;
	struct folder f;

	folder_make(&f);
	setenv("TMPDIR", f.path, 1);
	on_console = text;
	overhear(&o, STDERR_FILENO);
	assert_int_equal(exec_keep_console(&lane, head), printed);
	said = overheard_text(&o);
	unsetenv("TMPDIR");
	path = strstr(said, f.path);
	*kept = NULL;
	if (path) {
		path += strlen(f.path) + 1;
		end = strchr(path, '\n');
		*end = '\0';
		*kept = folder_text(&f, path);
		*end = '\n';
		assert_non_null(*kept);
	}
	folder_remove(&f);
	return said;
}

TEST(test_trouble__head__is_printed_and_all_is_kept)
{
	auto_free char *kept = NULL, *said = say(BOOT OOPS "more\n", true, NULL, true, &kept);

	assert_ptr_equal(strstr(said, OOPS), said);
	assert_non_null(strstr(said, "verbatim: the kernel's console is in "));
	assert_string_equal(kept, BOOT OOPS "more\n");
}

/* The beginning has been printed already. */
TEST(test_trouble__no_head__is_only_kept)
{
	auto_free char *kept = NULL, *said = say(BOOT OOPS, false, NULL, false, &kept);

	assert_null(strstr(said, "BUG"));
	assert_string_equal(kept, BOOT OOPS);
}

TEST(test_trouble__no_complaint__is_only_kept)
{
	auto_free char *kept = NULL, *said = say(BOOT, true, NULL, false, &kept);

	assert_ptr_equal(strstr(said, "verbatim: "), said);
	assert_string_equal(kept, BOOT);
}

TEST(test_trouble__artifacts__have_it_already)
{
	auto_free char *kept = NULL, *said = say(OOPS, true, "/the/output", true, &kept);

	assert_non_null(strstr(said, "is in /the/output/console-1.log"));
	assert_null(kept);
}

TEST(test_trouble__nothing_on_the_console__says_nothing)
{
	auto_free char *kept = NULL, *kept2 = NULL;
	auto_free char *none = say(NULL, true, NULL, false, &kept), *empty = say("", true, NULL, false, &kept2);

	assert_string_equal(none, "");
	assert_string_equal(empty, "");
	assert_null(kept);
	assert_null(kept2);
}

TEST(test_trouble__known_cause__is_told)
{
	static const char oops[] = "[  1.5] Oops: int3: 0000 [#1] SMP NOPTI\n";
	auto_free char *kept = NULL, *kept2 = NULL, *kept3 = NULL;
	auto_free char *first = say(oops, true, NULL, true, &kept), *again = say(oops, false, NULL, false, &kept2);
	auto_free char *other = say(OOPS, true, NULL, true, &kept3);

	assert_non_null(strstr(first, "public reports of such an end without KVM name QEMU before 8.1"));
	assert_non_null(strstr(again, "public reports of such an end without KVM name QEMU before 8.1"));
	assert_null(strstr(other, "QEMU"));
}

/* A kernel's message must not control the terminal. */
TEST(test_trouble__control_characters__are_written_out)
{
	auto_free char *kept = NULL, *said = say("BUG: \033[2J\n", true, NULL, true, &kept);

	assert_null(strchr(said, '\033'));
	assert_non_null(strchr(kept, '\033'));
}
