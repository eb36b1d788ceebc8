/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: fabric/journal.c fabric/undo.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fabric/journal.h"
#include "fabric/fabric-priv.h"
#include "fabric/undo.h"
#include "lib/base/fail.h"

/* Kinds of entries that record their words. */
struct script {
	char text[256];
	int failures;		/* number of failures of "stubborn" that are left */
};

static void note(struct script *s, const char *what, const char *word)
{
	size_t n = strlen(s->text);

	snprintf(s->text + n, sizeof(s->text) - n, "%s %s;", what, word);
}

static int undo_a(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	(void)run;
	(void)err;
	note(ctx, "a", words[0]);
	return 0;
}

static int undo_stubborn(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	struct script *s = ctx;

	(void)run;
	note(ctx, "stubborn", words[0]);
	if (s->failures-- > 0)
		return vbm_fail(err, EBUSY, "%s will not go", words[0]);
	return 0;
}

static const struct undo_kind kinds[] = {
	{"a", 1, undo_a},
	{"stubborn", 1, undo_stubborn},
	{NULL},
};

TEST(test_undo__unwind__is_last_in_first_out)
{
	struct script s = {.failures = 0};
	struct undo_ops ops = {kinds, &s};
	struct undo *undo = undo_new(&ops, 1, NULL);

	assert_int_equal(undo_push(undo, NULL, "a", "1", NULL), 0);
	assert_int_equal(undo_push(undo, NULL, "a", "2", NULL), 0);
	assert_int_equal(undo_push(undo, NULL, "a", "3", NULL), 0);
	assert_int_equal(undo_unwind(undo, NULL), 0);
	assert_int_equal(undo_unwind(undo, NULL), 0);
	assert_string_equal(s.text, "a 3;a 2;a 1;");
	undo_free(undo);
}

TEST(test_undo__what_fails__stays_and_the_rest_goes)
{
	struct script s = {.failures = 1};
	struct undo_ops ops = {kinds, &s};
	struct undo *undo = undo_new(&ops, 1, NULL);
	struct vbm_error err;

	undo_push(undo, NULL, "a", "1", NULL);
	undo_push(undo, NULL, "stubborn", "2", NULL);
	undo_push(undo, NULL, "a", "3", NULL);
	assert_int_equal(undo_unwind(undo, &err), -EBUSY);
	assert_string_equal(err.msg, "2 will not go");
	assert_int_equal(undo_unwind(undo, &err), 0);
	assert_string_equal(s.text, "a 3;stubborn 2;a 1;stubborn 2;");
	undo_free(undo);
}

TEST(test_undo__nonsense__is_refused)
{
	struct script s = {.failures = 0};
	struct undo_ops ops = {kinds, &s};
	char a[] = "a", b[] = "b", x[] = "x";
	char *unknown[] = {b, x}, *missing[] = {a}, *many[] = {a, x, x};

	assert_int_equal(undo_one(&ops, 1, unknown, 2, NULL), -EBADMSG);
	assert_int_equal(undo_one(&ops, 1, missing, 1, NULL), -EBADMSG);
	assert_int_equal(undo_one(&ops, 1, many, 3, NULL), -EBADMSG);
	assert_int_equal(undo_one(&ops, 1, many, 0, NULL), -EBADMSG);
	assert_string_equal(s.text, "");
}

/* The context has no netlink, so a call to the kernel would crash here. */
TEST(test_undo__things_of_others__are_never_touched)
{
	static const char *const lines[] = {
		"link eth0", "link lo", "link vb-0002-a", "rdma mlx5_0", "rdma vb_0002_a",
		"rule 4 0 255 2 any any any", "rule 4 x 255 86 any any any",
		"rule 5 0 255 86 any any any", "rule 4 0 255 86 averyveryverylongname any any",
		"rule 4 0 255 86 any fd86::1 any", "rule 4 0 255 86 any any everywhere",
		"rule 4 0 99999999999 86 any any any", "default-rule 5",
	};
	const struct undo_ops ops = {undo_kinds, NULL};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		auto_free char *line = strdup(lines[i]);
		char *words[UNDO_WORDS_MAX], *save = NULL, *word;
		int n = 0;

		for (word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
			words[n++] = word;
		if (undo_one(&ops, 1, words, n, NULL) != -EBADMSG)
			fail_msg("'%s' was not refused", lines[i]);
	}
}

#define HEAD "verbatim-undo 1 3f2a boot\n"

TEST(test_journal__parse__reads_entries_of_this_boot)
{
	const char *text = HEAD "link\tvb-3f2a-a\nrule\t4\t0\n";
	struct journal_text j;
	struct vbm_error err;

	assert_int_equal(journal_parse(text, strlen(text), "boot", &j, &err), 0);
	assert_int_equal(j.run, 0x3f2a);
	assert_true(j.same_boot);
	assert_int_equal(j.count, 2);
	assert_string_equal(j.entries[0].words[1], "vb-3f2a-a");
	assert_int_equal(j.entries[1].count, 3);
	assert_int_equal(j.skipped, 0);
	journal_text_fini(&j);
	assert_int_equal(journal_parse(text, strlen(text), "later", &j, &err), 0);
	assert_false(j.same_boot);
	journal_text_fini(&j);
}

TEST(test_journal__garbled_lines__are_skipped)
{
	const char *text = HEAD "link\tx\n\n\001\002\n1\t2\t3\t4\t5\t6\t7\t8\t9\nlink\ty\nlink\ttorn";
	struct journal_text j;

	assert_int_equal(journal_parse(text, strlen(text), "boot", &j, NULL), 0);
	assert_int_equal(j.count, 2);
	assert_string_equal(j.entries[1].words[1], "y");
	assert_int_equal(j.skipped, 4);
	journal_text_fini(&j);
}

TEST(test_journal__bad_header__is_no_journal)
{
	static const char *const bad[] = {"", "\n", "verbatim-undo 1 3f2a boot",
					  "verbatim-undo 2 3f2a boot\n", "verbatim-undo 1 xyz boot\n",
					  "verbatim-undo 1 3f2a boot more\n", "link\tvb-3f2a-a\n"};
	struct journal_text j;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (journal_parse(bad[i], strlen(bad[i]), "boot", &j, NULL) != -EBADMSG)
			fail_msg("'%s' passed for a journal", bad[i]);
	assert_int_equal(journal_parse("ver\0batim", 9, "boot", &j, NULL), -EBADMSG);
}

static char dir[] = "/tmp/verbatim-undo-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) && setenv("VERBATIM_RUNDIR", dir, 1) == 0 ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);	/* fails when a test left a file */
}

UNIT(.all = {make_dir, remove_dir});

TEST(test_journal__while_open__is_locked_and_says_all)
{
	struct script s = {.failures = 0};
	struct undo_ops ops = {kinds, &s};
	struct journal_text text;
	struct journal *j = NULL;
	struct undo *undo;
	char path[64];
	int fd;

	assert_int_equal(journal_create(&j, NULL), 0);
	undo = undo_new(&ops, journal_run(j), j);
	assert_int_equal(undo_push(undo, NULL, "a", "1", NULL), 0);
	assert_int_equal(undo_push(undo, NULL, "a", "2", NULL), 0);
	snprintf(path, sizeof(path), "%s/%04x.undo", dir, journal_run(j));
	assert_int_equal(journal_run_of_name(strrchr(path, '/') + 1), journal_run(j));
	assert_int_equal(journal_lock(path, false, &fd, NULL), -EBUSY);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(journal_read(fd, &text, NULL), 0);
	close(fd);
	assert_true(text.same_boot);
	assert_int_equal(text.run, journal_run(j));
	assert_int_equal(text.count, 2);
	assert_string_equal(text.entries[1].words[1], "2");
	journal_text_fini(&text);
	undo_free(undo);
	journal_close(j, true);
	assert_int_equal(journal_lock(path, false, &fd, NULL), -ENOENT);
	/* Files that only have the name of a journal. */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(journal_lock(path, false, &fd, NULL), -EINVAL);
	assert_int_equal(unlink(path), 0);
}

/* If it cannot be found out, a run counts as alive and nothing of it is removed. */
/* Bit 0: the run 0x1234 counts as alive; bit 1: any run does. */
static int which_alive(void)
{
	return journal_alive(dir, 0x1234) | journal_alive(dir, -1) << 1;
}

/* Bits 0 and 1 with /proc, bits 2 and 3 without it. Runs on this machine are in another network namespace. */
static int alive_in_child(void)
{
	int with_proc;

	if (unshare(CLONE_NEWNS | CLONE_NEWNET) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 99;
	with_proc = which_alive();
	if (mount("tmpfs", "/proc", "tmpfs", 0, NULL) < 0)
		return 99;
	return with_proc | which_alive() << 2;
}

TEST(test_journal__without_proc__runs_count_as_alive)
{
	int status;
	pid_t pid;

	if (geteuid() != 0) {
		printf("# skipped: mounting needs root\n");
		skip();
	}
	pid = fork();
	if (pid == 0)
		_exit(alive_in_child());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0xc);
}
