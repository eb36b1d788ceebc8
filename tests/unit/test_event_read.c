/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: event/read.c event/kinds.c event/event.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "event/kinds.h"
#include "event/read.h"

static struct value *read_event(const char *text)
{
	struct value *v = json_read(text, strlen(text), NULL);

	assert_non_null(v);
	return v;
}

#define STEP                                                                  \
	"{\"event\":\"step\",\"seq\":7,\"ms\":1,\"variant\":3,\"name\":\"a/b[ip=4]\",\"line\":8," \
	"\"col\":5,\"host\":\"a\",\"call\":\"getaddrinfo\",\"index\":2,\"args\":{\"node\":\"x\"}," \
	"\"result\":null,\"us\":9,\"ok\":true}"
#define VERDICT                                                               \
	"{\"event\":\"verdict\",\"variant\":3,\"name\":\"a/b\",\"verdict\":\"FAIL\",\"reason\":null," \
	"\"took_ms\":1,\"own_us\":2,\"complaints\":[\"WARNING\"]}"

TEST(test_read__what_is_there)
{
	auto_value struct value *step = read_event(STEP), *verdict = read_event(VERDICT);

	assert_int_equal(event_check(step, NULL), 0);
	assert_string_equal(event_name(step), "a/b[ip=4]");
	assert_int_equal(event_variant(step), 3);
	assert_int_equal(event_integer(step, "us"), 9);
	assert_true(event_flag(step, "ok"));
	assert_string_equal(event_string(step, "call"), "getaddrinfo");
	assert_int_equal(event_map(step, "args")->map.count, 1);
	assert_int_equal(event_any(step, "result")->type, VALUE_NULL);
	assert_int_equal(event_integer_or(step, "seq", -1), 7);
	assert_int_equal(event_verdict(verdict), VERDICT_FAIL);
	assert_string_equal(event_strings(verdict, "complaints")->list.item[0]->s, "WARNING");
	assert_true(event_has(verdict, "complaints"));
}

TEST(test_read__what_may_be_absent__is_what_the_reader_says)
{
	auto_value struct value *step = read_event(STEP), *verdict = read_event(VERDICT);
	auto_value struct value *end = read_event("{\"event\":\"end\",\"events\":1,\"broken\":false}");

	assert_string_equal(event_string_or(step, "round", "once"), "once");
	assert_int_equal(event_integer_or(step, "tries", 1), 1);
	assert_null(event_string_or(verdict, "reason", NULL));
	assert_null(event_strings(verdict, "findings"));
	assert_false(event_has(verdict, "findings"));
	assert_int_equal(event_integer_or(verdict, "seq", -1), -1);
	assert_null(event_name(end));
	assert_int_equal(event_variant(end), -1);
}

/* Members that the code may not read from a step or from a verdict. */
static void wrong_key(const struct value *step)
{
	assert_string_equal(event_string(step, "hostt"), "(internal error)");
}

static void wrong_key_of_another_kind(const struct value *step)
{
	assert_int_equal(event_integer(step, "took_ms"), -1);
}

static void wrong_key_that_may_be_absent(const struct value *step)
{
	assert_string_equal(event_string_or(step, "rounds", "once"), "(internal error)");
}

static void wrong_type(const struct value *step)
{
	assert_string_equal(event_string(step, "variant"), "(internal error)");
}

static void wrong_type_that_may_be_absent(const struct value *step)
{
	assert_int_equal(event_integer_or(step, "text", 0), -1);
}

static void wrong_flag(const struct value *step)
{
	assert_false(event_flag(step, "us"));
}

static void wrong_list(const struct value *step)
{
	assert_null(event_strings(step, "args"));
}

static void wrong_map(const struct value *step)
{
	assert_int_equal(event_map(step, "result")->map.count, 0);
}

static void needs_what_may_be_absent(const struct value *step)
{
	assert_string_equal(event_string(step, "round"), "(internal error)");
}

static void asks_whether_what_must_be_there_is(const struct value *step)
{
	event_has(step, "host");
}

static void verdict_of_a_step(const struct value *step)
{
	assert_int_equal(event_verdict(step), VERDICT_INVALID);
}

static void nothing(const struct value *step)
{
	(void)step;
	assert_string_equal(event_string(NULL, "host"), "(internal error)");
}

static void makes_a_member_that_there_is_not(const struct value *step)
{
	auto_value struct value *event = value_dup(step);

	value_set_string(event, "hostt", "a");
	event_made(event);
}

static void makes_a_member_of_another_type(const struct value *step)
{
	auto_value struct value *event = value_dup(step);

	value_set_string(event, "us", "9");
	event_made(event);
}

static const struct {
	void (*make)(const struct value *step);
	const char *says;
} mistakes[] = {
	{wrong_key, "event 'step' has no member \"hostt\""},
	{wrong_key_of_another_kind, "event 'step' has no member \"took_ms\""},
	{wrong_key_that_may_be_absent, "event 'step' has no member \"rounds\""},
	{wrong_type, "event 'step': \"variant\" is an integer, and the code reads it as a string"},
	{wrong_type_that_may_be_absent, "\"text\" is a string, and the code reads it as an integer"},
	{wrong_flag, "\"us\" is an integer, and the code reads it as a boolean"},
	{wrong_list, "\"args\" is a map, and the code reads it as a list of strings"},
	{wrong_map, "\"result\" is of any type, and the code reads it as a map"},
	{needs_what_may_be_absent, "\"round\" may be absent, and the code needs it"},
	{asks_whether_what_must_be_there_is, "no member \"host\" that may be absent"},
	{verdict_of_a_step, "event 'step' has no member \"verdict\""},
	{nothing, "event '' has no member \"host\""},
	{makes_a_member_that_there_is_not, "event 'step' has no member \"hostt\""},
	{makes_a_member_of_another_type, "\"us\" is of type string and has to be an integer"},
};

/* Make the mistake in a child. Returns its status; @said is its output. */
static int make_mistake(size_t i, bool debug, char *said, size_t size)
{
	auto_value struct value *step = read_event(STEP);
	int p[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(p[1], STDERR_FILENO);
		event_faults_abort(debug);
		if (!debug && event_faulted())
			_exit(3);
		mistakes[i].make(step);
		_exit(event_faulted() ? 0 : 4);
	}
	close(p[1]);
	n = read(p[0], said, size - 1);
	said[n > 0 ? n : 0] = '\0';
	close(p[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

TEST(test_mistake__in_a_debug_build__aborts)
{
	char said[512];
	size_t i;
	int status;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		status = make_mistake(i, true, said, sizeof(said));
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
			fail_msg("\"%s\" ended with %#x", mistakes[i].says, (unsigned int)status);
		if (!strstr(said, mistakes[i].says))
			fail_msg("\"%s\" does not say \"%s\"", said, mistakes[i].says);
	}
}

TEST(test_mistake__in_a_release_build__is_an_error)
{
	char said[512];
	size_t i;
	int status;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		status = make_mistake(i, false, said, sizeof(said));
		if (status != 0)
			fail_msg("\"%s\" ended with %#x", mistakes[i].says, (unsigned int)status);
		if (!strstr(said, "internal error: ") || !strstr(said, mistakes[i].says))
			fail_msg("\"%s\" does not say \"%s\"", said, mistakes[i].says);
	}
}

static void check_refuses(const char *text, const char *why)
{
	auto_value struct value *event = read_event(text);
	struct vbm_error err = {0};

	assert_int_equal(event_check(event, &err), -EPROTO);
	if (!strstr(err.msg, why))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, why);
}

/* An arriving event is checked for everything that its readers rely on. */
TEST(test_check__what_a_runner_cannot_say)
{
	check_refuses("{\"event\":\"loaded\",\"files\":[1]}", "has to be a list of strings");
	check_refuses("{\"event\":\"counters\",\"host\":\"a\",\"values\":{\"x\":\"1\"}}",
		      "has to be a map of integers");
	check_refuses("{\"event\":\"taken\",\"host\":\"a\",\"seq\":\"1\"}", "has to be an integer");
	check_refuses("{\"event\":\"output\",\"host\":\"a\",\"stream\":1,\"data\":\"\"}",
		      "lacks the member \"command\"");
	check_refuses("{\"event\":\"verdict\",\"variant\":0,\"name\":\"x\",\"verdict\":\"PASSED\","
		      "\"reason\":null,\"took_ms\":1,\"own_us\":2}", "unknown verdict 'PASSED'");
	check_refuses("{\"event\":\"progress\",\"text\":\"x\"}", "a runner does not send the event 'progress'");
}

/* The table and the page have the same kinds, and each member is in its kind's paragraph. */
TEST(test_kinds__are_those_of_the_page)
{
	auto_free char *page = NULL;
	const struct event_kind *kind;
	const struct event_member *m;
	const char *begin, *end, *at, *first;
	size_t i;

	assert_int_equal(file_read(test_data("../../docs/events.md"), &page, NULL, NULL), 0);
	for (i = 0; (kind = event_kind_at(i)); i++) {
		auto_free char *title = xasprintf("\n**%s**", kind->name);

		/* Only a terminal shows it: --format json leaves it out. */
		if (!strcmp(kind->name, "progress"))
			continue;
		begin = strstr(page, title);
		if (!begin)
			fail_msg("docs/events.md has no kind '%s'", kind->name);
		end = strstr(begin + 1, "\n**");
		for (m = kind->member; m->name; m++) {
			auto_free char *word = xasprintf("`%s`", m->name);

			at = strstr(begin, word);
			/* Members that many kinds have are explained once, above. */
			first = strstr(page, word);
			if ((!at || (end && at > end)) && (!first || first >= begin))
				fail_msg("docs/events.md: '%s' has no member %s", kind->name, word);
		}
	}
}
