/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/exec-cores.c */
#include "cmocka_all.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lane/lane.h"
#include "session/exec-report.h"
#include "session/exec.h"
#include "../help/folder.h"

/* The report about the folder @home, one line each. */
struct report {
	struct folder home;
	struct text said;
	struct exec_options options;
	struct lanes lanes;
	struct lane lane;
};

static struct exec_command commands[] = {{.host = "a", .text = "x"}, {.host = "b", .text = "y"}};

static int begin(void **state)
{
	static struct report r;

	memset(&r, 0, sizeof(r));
	folder_make(&r.home);
	r.options = (struct exec_options){.commands = commands, .count = 2, .output = r.home.path};
	r.lanes.ops = &lane_guest;
	r.lane = (struct lane){.lanes = &r.lanes, .kept = "/kept"};
	*state = &r;
	return 0;
}

static int end(void **state)
{
	struct report *r = *state;

	folder_remove(&r->home);
	text_fini(&r->said);
	return 0;
}

static void hear(const char *line, void *arg)
{
	text_addf(arg, "%s\n", line);
}

static const char *report(struct report *r, int died, int status)
{
	text_clear(&r->said);
	exec_cores_report(&r->options, &r->lane, died, status, hear, &r->said);
	return r->said.len ? r->said.s : "";
}

static void must_say(struct report *r, int died, int status, const char *fmt)
{
	auto_free char *wanted = NULL;
	const char *at = strchr(fmt, '%');

	wanted = at ? xasprintf("%.*s%s%s", (int)(at - fmt), fmt, r->home.path, at + 1) : xstrdup(fmt);
	assert_string_equal(report(r, died, status), wanted);
}

TEST(test_cores__status__of_a_signal_that_leaves_one)
{
	assert_int_equal(exec_core_signal(128 + SIGSEGV), SIGSEGV);
	assert_int_equal(exec_core_signal(128 + SIGABRT), SIGABRT);
	assert_int_equal(exec_core_signal(128 + SIGSYS), SIGSYS);
	assert_int_equal(exec_core_signal(128 + SIGTERM), 0);
	assert_int_equal(exec_core_signal(128 + SIGKILL), 0);
	assert_int_equal(exec_core_signal(SIGSEGV), 0);
	assert_int_equal(exec_core_signal(128), 0);
	assert_int_equal(exec_core_signal(0), 0);
	assert_int_equal(exec_core_signal(255), 0);
}

/* The name comes from a guest. Only a path can be the program's name; an option of gdb cannot. */
TEST_BETWEEN(test_cores__program_without_a_path__has_no_backtrace, begin, end)
{
	struct report *r = *state;

	folder_put(&r->home, "a/x.12.core", "");
	folder_put(&r->home, "a/x.12.txt", "program: --eval-command=!reboot\nsignal: 11\n");
	must_say(r, 0, 128 + SIGSEGV, "--eval-command=!reboot on host a died of SIGSEGV: its core is "
		 "%/a/x.12.core (0 MB); there is no backtrace, because it has no path\n");
}

TEST_BETWEEN(test_cores__text__may_lack_all, begin, end)
{
	struct report *r = *state;

	folder_put(&r->home, "b/y.1.core", "x");
	folder_put(&r->home, "b/y.1.txt", "is not complete\nsignal: 99999\n");
	must_say(r, 1, 128 + SIGSEGV, "? on host b died of SIG?: its core is %/b/y.1.core (1 MB, not "
		 "complete); there is no backtrace, because it has no path\n");
}

/* A core without its text says nothing about its program, and other files are not cores. */
TEST_BETWEEN(test_cores__other_files__are_none, begin, end)
{
	struct report *r = *state;

	r->lane.kept = "/kept";
	folder_put(&r->home, "a/x.core", "");
	folder_put(&r->home, "a/.core", "");
	folder_put(&r->home, "a/.txt", "program: x\nsignal: 11\n");
	folder_put(&r->home, "a/y.txt", "program: x\nsignal: 11\n");
	folder_put(&r->home, "x.core", "");
	folder_put(&r->home, ".hidden/x.core", "");
	folder_put(&r->home, ".hidden/x.txt", "program: x\nsignal: 11\n");
	must_say(r, 0, 128 + SIGABRT, "the command on a ended as by SIGABRT and left no core\n");
}

TEST_BETWEEN(test_cores__several__each_in_order, begin, end)
{
	struct report *r = *state;
	const char *said, *first, *second, *third;

	folder_put(&r->home, "b/x.2.core", "");
	folder_put(&r->home, "b/x.2.txt", "program: x\nsignal: 6\n");
	folder_put(&r->home, "a/z.1.core", "");
	folder_put(&r->home, "a/z.1.txt", "program: z\nsignal: 11\n");
	folder_put(&r->home, "a/y.3.core", "");
	folder_put(&r->home, "a/y.3.txt", "program: y\nsignal: 11\n");
	said = report(r, -1, 0);
	first = strstr(said, "y on host a died of SIGSEGV");
	second = strstr(said, "z on host a died of SIGSEGV");
	third = strstr(said, "x on host b died of SIGABRT");
	assert_ptr_equal(first, said);
	assert_true(first < second && second < third);
}

TEST_BETWEEN(test_cores__no_core__says_why, begin, end)
{
	struct report *r = *state;

	assert_string_equal(report(r, -1, 0), "");
	must_say(r, 1, 128 + SIGSEGV, "the command on b ended as by SIGSEGV and left no core\n");
	r->lane.kept = NULL;
	must_say(r, 1, 128 + SIGSEGV, "the command on b ended as by SIGSEGV, and its core is lost: a "
		 "guest cannot write to %, whose path has a space or quote\n");
	r->lane.kept = "/kept";
	r->lanes.ops = &lane_uml;
	assert_non_null(strstr(report(r, 1, 128 + SIGSEGV), "verbatim kernel build"));
	r->lanes.ops = &lane_native;
	assert_non_null(strstr(report(r, 1, 128 + SIGSEGV), "kernel.core_pattern: "));
	assert_null(strstr(r->said.s, "\n)"));
}

TEST_BETWEEN(test_cores__no_output__says_nothing, begin, end)
{
	struct report *r = *state;

	r->options.output = NULL;
	assert_string_equal(report(r, 0, 128 + SIGSEGV), "");
}

/* A machine whose PATH has timeout(1), but not gdb. */
TEST_BETWEEN(test_cores__without_gdb__says_so, begin, end)
{
	struct report *r = *state;
	auto_free char *before = xstrdup(getenv("PATH")), *link = NULL, *bin = NULL;

	folder_put(&r->home, "a/x.1.core", "");
	folder_put(&r->home, "a/x.1.txt", "program: /bin/x\nsignal: 11\n");
	folder_put(&r->home, ".bin/x", "");
	link = folder_path(&r->home, ".bin/timeout");
	bin = folder_path(&r->home, ".bin");
	if (symlink("/usr/bin/timeout", link) < 0 || access(link, X_OK) < 0) {
		print_message("# skipped: there is no /usr/bin/timeout\n");
		skip();
	}
	setenv("PATH", bin, 1);
	report(r, -1, 0);
	setenv("PATH", before, 1);
	assert_non_null(strstr(r->said.s, "; there is no backtrace, because gdb is not installed here\n"));
}
