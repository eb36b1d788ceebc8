/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job-run/execute.c job-run/execute-tell.c job-run/actors.c job-run/started.c job-run/programs.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "fabric/fabric.h"
#include "job-run/execute.h"
#include "../help/bare-fabric.h"
#include "../help/descriptors.h"
#include "../help/folder.h"
#include "../help/variant.h"
#include "diag-help.h"

/*
 * Variants with real agents and programs, on the hosts of a real fabric without RDMA
 * devices. So their steps need no device.
 */
static struct fabric *fabric;
static struct folder shared;	/* the programs' $T */

static int begin(void **state)
{
	(void)state;
	fabric = bare_fabric(LAYOUT_NETNS, 2);
	folder_make(&shared);
	return 0;
}

static int end(void **state)
{
	(void)state;
	fabric_free(fabric);
	folder_remove(&shared);
	return 0;
}

UNIT(.obstacle = bare_fabrics_obstacle, .all = {bare_fabrics_begin, bare_fabrics_end},
     .each = {begin, end});

static void add_event(struct text *out, const struct value *e)
{
	const char *reason = value_get_string(e, "text", "");

	if (event_is(e, "step"))
		text_addf(out, "%d %s\n", (int)value_get_int(e, "index", -1),
			  value_get_bool(e, "ok", false) ? "ok" : "wrong");
	if (event_is(e, "fail"))
		text_addf(out, "%d %s: %s, got %s%s", (int)value_get_int(e, "index", -1),
			  value_get_string(e, "field", "?"), value_get_string(e, "expected", "?"),
			  value_get_string(e, "actual", "?"), value_get(e, "either") ? "" : "\n");
	if (event_is(e, "fail") && value_get(e, "either"))
		text_addf(out, " (outcome %d)\n", (int)value_get_int(e, "outcome", -1));
	if (event_is(e, "last"))
		text_addf(out, "last %s.%s\n", value_get_string(e, "host", "?"),
			  value_get_string(e, "call", "?"));
	if (event_is(e, "log"))
		text_addf(out, "log %s: %s", value_get_string(e, "host", "?"), reason);
}

/* Add the events of @fd, one on each line. */
static void add_events(struct text *out, int fd)
{
	auto_free char *all = NULL;
	char *pos, *line;

	assert_int_equal(file_fd_read_whole(fd, FILE_MAX, &all, NULL), 0);
	for (pos = all; (line = file_next_line(&pos));) {
		auto_value struct value *e = must_read_json(line);

		add_event(out, e);
	}
}

/* Run these items. @known: the known failures, or NULL. */
static void run(struct text *out, const char *items, const char *known)
{
	auto_close int fd = memfd_create("events", MFD_CLOEXEC);
	auto_free char *job = xasprintf("{\"job\": \"run\", \"layout\": \"netns\", "
					"\"lane\": \"native\", \"factor\": 1, "
					"\"target\": \"system\", \"rdma_core\": \"44.0\", "
					"\"target_env\": {}, \"scenarios\": 1, "
					"\"env\": {\"PATH\": \"/usr/bin:/bin\", "
					"\"T\": \"%s\"}, \"env_bytes\": [], \"cwd\": \"/\"}", shared.path);
	auto_value struct value *spec = must_read_json(job);
	struct outcome outcome = {0};
	struct emitter emit;
	struct plan plan = {0};
	int before = open_descriptors();

	make_variant(&plan, "['a', 'b', 'a.1']", items);
	if (known)
		plan.item[0].known = must_read_json(known);
	emit_init(&emit, fd);
	execute_variant(&(struct execute_on){
		.emit = &emit, .fabric = fabric, .target = "system", .spec = spec,
	}, &plan.item[0], &outcome);
	add_events(out, fd);
	text_addf(out, "%s%s%s\n", verdict_name(outcome.verdict), outcome.reason ? " " : "",
		  outcome.reason ? outcome.reason : "");
	free(outcome.reason);
	plan_fini(&plan);
	assert_int_equal(open_descriptors(), before);
}

static void comes_to_when_known(const char *items, const char *known, const char *wanted)
{
	auto_text struct text out = {0};

	run(&out, items, known);
	assert_string_equal(out.s, wanted);
}

static void comes_to(const char *items, const char *wanted)
{
	comes_to_when_known(items, NULL, wanted);
}

/* The parts must appear in this order. */
static void comes_to_parts(const char *items, const char *const *parts)
{
	auto_text struct text out = {0};
	const char *at;

	run(&out, items, NULL);
	for (at = out.s; *parts; parts++) {
		const char *found = strstr(at, *parts);

		if (!found)
			fail_msg("no \"%s\" in its place in: %s", *parts, out.s);
		at = found + strlen(*parts);
	}
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define NOTE(actor) "{'actor': " #actor ", 'step': 'note', 'args': {'text': 'hi'}}"
#define SH(actor, command, more) "{'actor': " #actor ", 'step': 'run', 'at': [3, 5, 0], " \
				 "'deadline_ms': 20000, 'args': {'command': '" command "'}" more "}"
#define START(command, more) "{'actor': 0, 'step': 'start', 'at': [3, 5, 0], 'deadline_ms': 20000, 'args': " \
			     "{'command': 'echo up; " command "', 'ready_line': 'up'" more "}}"
#define UP "log a: run: up\n"
#define STOP "{'actor': 0, 'step': 'stop_program', 'deadline_ms': 20000, 'expect': {'return': {'any': true}}}"
#define UNTIL_ITS_END "{'actor': 0, 'step': 'read_program', 'mode': 'until', 'deadline_ms': 20000, " \
		      "'expect': {'running': false}}"

TEST(test_execute__all_as_expected__passes)
{
	comes_to("[" NOTE(0) ", " SH(1, "exit 0", "") ", " SH(1, "exit 3", ", 'expect': {'return': 3}") "]",
		 "0 ok\n1 ok\n2 ok\nlog a: hi\nPASS\n");
}

/* The first failure is the reason, and ends the variant. */
TEST(test_execute__wrong_answer__ends_the_variant)
{
	comes_to("[" NOTE(1) ", " SH(0, "exit 3", "") ", " NOTE(0) "]",
		 "0 ok\n1 wrong\n1 return: 0, got 3\nlast a.run\nlast b.note\nlog b: hi\n"
		 "FAIL x.yaml:3:5: a.run: return: expected 0, got 3\n");
}

TEST(test_execute__death__is_judged_by_what_was_expected)
{
	comes_to("[{'actor': 0, 'step': 'crash', 'death': 'ABRT'}]", "0 ok\nPASS\n");
	comes_to("[{'actor': 0, 'step': 'crash', 'at': [2, 1, 0]}]",
		 "0 wrong\n0 death: none, got SIGABRT\nlast a.crash\n"
		 "FAIL x.yaml:2:1: a.crash: death: expected none, got SIGABRT\n");
	comes_to("[{'actor': 0, 'step': 'crash', 'at': [2, 1, 0], 'death': 'SEGV'}]",
		 "0 wrong\n0 death: SIGSEGV, got SIGABRT\nlast a.crash\n"
		 "FAIL x.yaml:2:1: a.crash: death: expected SIGSEGV, got SIGABRT\n");
	comes_to("[{'actor': 0, 'step': 'exit', 'at': [2, 1, 0], 'args': {'status': 3}}]",
		 "0 wrong\n0 death: none, got exit status 3\nlast a.exit\n"
		 "FAIL x.yaml:2:1: a.exit: death: expected none, got exit status 3\n");
	comes_to("[{'actor': 0, 'step': 'note', 'at': [2, 1, 0], 'args': {'text': 'hi'}, 'death': 'ABRT'}]",
		 "0 wrong\n0 death: SIGABRT, got success\nlast a.note\nlog a: hi\n"
		 "FAIL x.yaml:2:1: a.note: death: expected SIGABRT, got success\n");
}

TEST(test_execute__silence__may_be_what_was_expected)
{
	comes_to("[" START("exec sleep 1000", "") ", {'actor': 0, 'step': 'wait_program', 'mode': 'nothing', "
		 "'deadline_ms': 30}, " STOP "]", "0 ok\n1 ok\n2 ok\n" UP "PASS\n");
	comes_to("[{'actor': 0, 'step': 'note', 'at': [2, 1, 0], 'args': {'text': 'hi'}, 'mode': 'nothing'}]",
		 "0 wrong\n0 answer: nothing, got success\nlast a.note\nlog a: hi\n"
		 "FAIL x.yaml:2:1: a.note: answer: expected nothing, got success\n");
}

/* An answer that says nothing about the stack is an error, and not a failure of the stack. */
TEST(test_execute__nonsense__is_an_error)
{
	comes_to_parts("[{'actor': 0, 'step': 'garble', 'at': [2, 1, 0]}, " NOTE(1) "]",
		       PARTS("0 wrong\nlast a.garble\nERROR x.yaml:2:1: a.garble: "));
	comes_to_parts("[{'actor': 0, 'step': 'note', 'args': {'text': {'$': '$b.none'}}, 'at': [2, 1, 0]}]",
		       PARTS("0 wrong\nlast a.note\nERROR x.yaml:2:1: a.note: "));
}

TEST(test_execute__kill__is_by_the_runner)
{
	comes_to("[" NOTE(0) ", {'actor': 0, 'step': 'kill'}, " NOTE(2) "]",
		 "0 ok\n1 ok\n2 ok\nlog a: hi\nlog a.1: hi\nPASS\n");
	/* An actor that was killed cannot execute another step. */
	comes_to_parts("[{'actor': 0, 'step': 'kill'}, " NOTE(0) "]", PARTS("0 ok\n1 wrong\nlast a.note\nERROR "));
}

/* The two wait for each other. */
TEST(test_execute__group__is_posted_whole)
{
	comes_to("[" SH(0, "mkfifo $T/x", "") ", "
		 SH(0, "read line < $T/x; exit $line", ", 'group': 1, 'expect': {'return': 4}") ", "
		 SH(2, "echo 4 > $T/x", ", 'group': 1") ", " NOTE(1) "]",
		 "0 ok\n1 ok\n2 ok\n3 ok\nlog b: hi\nPASS\n");
	/* The results are judged in the order of the file, and all of them. */
	comes_to("[" SH(0, "exit 1", ", 'group': 1") ", " SH(1, "exit 2", ", 'group': 1") ", " NOTE(0) "]",
		 "0 wrong\n0 return: 0, got 1\n1 wrong\n1 return: 0, got 2\nlast a.run\nlast b.run\n"
		 "FAIL x.yaml:3:5: a.run: return: expected 0, got 1\n");
}

/* The calls of one actor in a group run one after another. */
TEST(test_execute__group_of_one_actor__is_a_sequence)
{
	comes_to("[" SH(0, "echo 1 > $T/y", ", 'group': 1") ", "
		 SH(0, "read line < $T/y; exit $line", ", 'group': 1, 'expect': {'return': 1}") "]",
		 "0 ok\n1 ok\nPASS\n");
}

/* After a wait without result, the reason names the actors that had not begun. */
TEST(test_execute__wait_in_vain__names_who_had_not_begun)
{
	comes_to_parts("[{'actor': 0, 'step': 'wait_program', 'args': {'program': 'p'}, 'group': 1, "
		       "'deadline_ms': 30, 'at': [7, 1, 0]}, "
		       "{'actor': 0, 'step': 'note', 'args': {'text': 'hi'}, 'group': 1, 'at': [8, 1, 0]}, "
		       "{'actor': 1, 'step': 'note', 'args': {'text': 'hi'}, 'group': 1, 'at': [9, 1, 0]}]",
		       PARTS("0 wrong\n"));
	comes_to_parts("[" START("exec sleep 1000", "") ", "
		       "{'actor': 0, 'step': 'wait_program', 'group': 1, 'deadline_ms': 30, 'at': [7, 1, 0]}, "
		       "{'actor': 0, 'step': 'note', 'args': {'text': 'hi'}, 'group': 1, 'at': [8, 1, 0]}, "
		       "{'actor': 1, 'step': 'note', 'args': {'text': 'hi'}, 'group': 1, 'at': [9, 1, 0]}]",
		       PARTS("1 wrong\n1 answer: an answer in time, got ",
			     "; b.note (line 9) had not begun: it comes after a.note (line 8), which waits for "
			     "line 7\n", "last a.wait_program\n"));
}

TEST(test_execute__until__asks_again)
{
	comes_to("[" START("exit 0", "") ", " UNTIL_ITS_END "]", "0 ok\n1 ok\n" UP "PASS\n");
	comes_to_parts("[" START("exit 0", "") ", " UNTIL_ITS_END ", "
		       "{'actor': 0, 'step': 'read_program', 'mode': 'until', 'deadline_ms': 30, "
		       "'expect': {'running': true}, 'at': [4, 1, 0]}]",
		       PARTS("1 ok\n2 wrong\n2 running: true, got false\n", "FAIL "));
}

TEST(test_execute__either__ends_with_the_first_outcome)
{
	/* Its first item reaches the second outcome. */
	comes_to("[" SH(0, "exit 3", ", 'either': 1, 'outcomes': [null, {'return': 3}]") ", "
		 SH(0, "exit 0", ", 'either': 1, 'outcomes': [null, false]") ", " NOTE(0) "]",
		 "0 ok\n2 ok\nlog a: hi\nPASS\n");
	/* The first outcome needs both items. */
	comes_to("[" SH(0, "exit 0", ", 'either': 1, 'outcomes': [null, {'return': 3}]") ", "
		 SH(0, "exit 0", ", 'either': 1, 'outcomes': [null, false]") "]",
		 "0 ok\n1 ok\nPASS\n");
}

TEST(test_execute__either__each_outcome_says_what_ruled_it_out)
{
	comes_to("[" SH(0, "exit 0", ", 'either': 1, 'outcomes': [null, {'return': 3}]") ", "
		 SH(0, "exit 1", ", 'either': 1, 'outcomes': [null, false]") ", " NOTE(0) "]",
		 "0 ok\n1 wrong\n1 return: 0, got 1 (outcome 1)\n0 return: 3, got 0 (outcome 2)\nlast a.run\n"
		 "FAIL x.yaml:3:5: a.run: return: expected 0, got 1 (outcome 1)\n");
}

TEST(test_execute__program_that_dies__fails_the_variant)
{
	comes_to("[" START("exit 4", "") ", " UNTIL_ITS_END "]",
		 "0 ok\n1 ok\n0 death: none, got exit status 4\n" UP
		 "FAIL x.yaml:3:5: a.start: death: expected none, got exit status 4\n");
	comes_to("[" START("kill -SEGV $$", "") ", " UNTIL_ITS_END "]",
		 "0 ok\n1 ok\n0 death: none, got SIGSEGV\n" UP
		 "FAIL x.yaml:3:5: a.start: death: expected none, got SIGSEGV\n");
	comes_to("[" START("exit 4", ", 'may_fail': true") ", " UNTIL_ITS_END "]", "0 ok\n1 ok\n" UP "PASS\n");
	comes_to("[" START("exec sleep 1000", "") "]", "0 ok\n" UP "PASS\n");
}

/* A step reports the program's end, so the runner does not. */
TEST(test_execute__program_whose_end_was_told__is_forgotten)
{
	comes_to("[" START("exit 4", "") ", "
		 "{'actor': 0, 'step': 'wait_program', 'deadline_ms': 20000, 'expect': {'return': 4}}]",
		 "0 ok\n1 ok\n" UP "PASS\n");
	comes_to("[" START("exec sleep 1000", "") ", " STOP "]", "0 ok\n1 ok\n" UP "PASS\n");
}

TEST(test_execute__result__has_a_name_for_later_items)
{
	comes_to("[" SH(0, "exit 3", ", 'as': 'r', 'expect': {'return': 3}") ", "
		 SH(1, "exit 3", ", 'expect': {'return': {'$': '$a.r.return'}}") "]", "0 ok\n1 ok\nPASS\n");
}

/* The steps after a known failure are of interest, too. */
TEST(test_execute__known_failure__goes_on)
{
	static const char known[] = "[{\"field\": \"return\", \"step\": \"a.run\", \"got\": \"3\"}]";

	comes_to_when_known("[" SH(0, "exit 3", "") ", " NOTE(0) "]", known,
			    "0 wrong\n0 return: 0, got 3\n1 ok\nlog a: hi\n"
			    "FAIL x.yaml:3:5: a.run: return: expected 0, got 3\n");
	/* The reason is the failure that is not known. */
	comes_to_when_known("[" SH(0, "exit 3", "") ", " SH(0, "exit 4", "") ", " NOTE(0) "]", known,
			    "0 wrong\n0 return: 0, got 3\n1 wrong\n1 return: 0, got 4\nlast a.run\n"
			    "FAIL x.yaml:3:5: a.run: return: expected 0, got 4\n");
	/* The value may be a pattern; the pattern of another value knows nothing. */
	comes_to_when_known("[" SH(0, "exit 37", "") ", " NOTE(0) "]",
			    "[{\"field\": \"return\", \"got\": \"3*\"}]",
			    "0 wrong\n0 return: 0, got 37\n1 ok\nlog a: hi\n"
			    "FAIL x.yaml:3:5: a.run: return: expected 0, got 37\n");
	comes_to_when_known("[" SH(0, "exit 47", "") ", " NOTE(0) "]",
			    "[{\"field\": \"return\", \"got\": \"3*\"}]",
			    "0 wrong\n0 return: 0, got 47\nlast a.run\n"
			    "FAIL x.yaml:3:5: a.run: return: expected 0, got 47\n");
	/* The failure is not known for another actor. */
	comes_to_when_known("[" SH(1, "exit 3", "") ", " NOTE(0) "]", known,
			    "0 wrong\n0 return: 0, got 3\nlast b.run\n"
			    "FAIL x.yaml:3:5: b.run: return: expected 0, got 3\n");
}
