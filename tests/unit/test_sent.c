/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: event/sent.c event/kinds.c event/read.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "diag-help.h"
#include "event/event.h"
#include "event/kinds.h"
#include "event/read.h"
#include "event/sent.h"

#define HEAD "\"layout\":\"auto\",\"lane\":\"uml\",\"factor\":2"
#define CALLER "\"env\":{\"PATH\":\"/bin\"},\"env_bytes\":[\"A=b\",{\"base64\":\"QT1i\"}],\"cwd\":\"/\""
#define RUN "{\"job\":\"run\"," HEAD ",\"target\":\"system\",\"rdma_core\":\"44.0\",\"target_env\":{\"A\":\"b\"}," \
	"\"scenarios\":1}"
#define EXEC "{\"job\":\"exec\"," HEAD "," CALLER ",\"run\":7,\"commands\":[],\"hosts\":2,\"timeout_ms\":9}"
#define SHELL "{\"job\":\"shell\"," HEAD "," CALLER ",\"run\":7,\"host\":\"a\",\"rows\":24,\"cols\":80}"
#define WALK "{\"job\":\"walk\"," HEAD ",\"target\":\"system\",\"seed\":1,\"steps\":30,\"groups\":7,\"exceptions\":0}"

static const char *const right[] = {
	RUN,
	EXEC,
	SHELL,
	WALK,
	"{\"name\":\"a/b\",\"items\":[],\"known\":[]}",
	"{\"field\":\"return\",\"got\":\"0\"}",
	"{\"end\":true}",
	"{\"walk\":100,\"count\":50}",
	"{\"host\":\"a\",\"command\":{\"base64\":\"/w==\"},\"service\":false,\"fed\":true}",
	"{\"step\":\"drop_packets\",\"host\":\"a\",\"line\":1,\"args\":{}}",
	"{\"fault\":\"loss\",\"value\":1,\"host\":\"a\"}",
	"{\"input\":\"eA==\"}",
	"{\"input_end\":true}",
	"{\"stop\":\"interrupted\"}",
	"{\"join\":1,\"rows\":24,\"cols\":80}",
	"{\"rows\":24,\"cols\":80}",
};

TEST(test_sent__what_the_front_end_sends__fits)
{
	struct vbm_error err = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		auto_value struct value *v = must_read_json(right[i]);

		if (sent_check(v, &err) < 0)
			fail_msg("%s: %s", right[i], err.msg);
		assert_ptr_equal(sent_kind_of(v), sent_kind_at(i));
	}
	assert_null(sent_kind_at(i));
}

static void check_refuses(const struct value *v, const char *why)
{
	struct vbm_error err = {0};

	assert_int_equal(sent_check(v, &err), -EPROTO);
	if (!strstr(err.msg, why))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, why);
}

/* Each member of each kind in turn has a type that no member has; then one is misspelt. */
TEST(test_sent__a_wrong_member__is_named)
{
	const char *name;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		auto_value struct value *v = must_read_json(right[i]);

		for (k = 0; k < v->map.count; k++) {
			auto_value struct value *wrong = value_dup(v);
			auto_free char *why = NULL;

			name = v->map.member[k].key;
			if (!event_member(v, name) || !strcmp(name, "job") || !strcmp(name, "items"))
				continue;
			why = xasprintf("\"%s\" is of type null", name);
			value_set(wrong, name, value_null());
			check_refuses(wrong, why);
		}
		if (sent_kind_at(i)->open)
			continue;
		value_set_string(v, "misspelt", "x");
		check_refuses(v, "has no member \"misspelt\"");
	}
}

TEST(test_sent__a_member_that_is_missing__is_named)
{
	const struct event_member *m;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		for (m = sent_kind_at(i)->member; m->name; m++) {
			auto_value struct value *v = must_read_json(right[i]), *less = value_map();
			auto_free char *why = xasprintf("lacks the member \"%s\"", m->name);

			if (m->optional || m == sent_kind_at(i)->member)
				continue;
			for (k = 0; k < v->map.count; k++)
				if (strcmp(v->map.member[k].key, m->name) != 0)
					value_set(less, v->map.member[k].key,
						  value_dup(v->map.member[k].value));
			check_refuses(less, why);
		}
	}
}

TEST(test_sent__what_is_of_no_kind__is_refused)
{
	static const char *const wrong[][2] = {
		{"{\"job\":\"nonsense\"}", "no job is called 'nonsense'"},
		{"{\"job\":7}", "no job is called '?'"},
		{"[]", "but a list"},
		{"{}", "not a line that follows a job"},
		{"{\"intput\":\"eA==\"}", "not a line that follows a job"},
		{"{\"items\":[],\"event\":\"end\"}", "not a line that follows a job"},
		{"{\"join\":1,\"event\":\"end\"}", "not a line that follows a job"},
	};
	auto_value struct value *stop = must_read_json("{\"stop\":\"x\"}");
	struct vbm_error err = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		auto_value struct value *v = must_read_json(wrong[i][0]);

		check_refuses(v, wrong[i][1]);
	}
	assert_int_equal(sent_check_as(stop, "stop", &err), 0);
	assert_int_equal(sent_check_as(stop, "join", &err), -EPROTO);
	assert_string_equal(err.msg, "line 'stop' where 'join' has to be");
}

TEST(test_sent__lines__follow_their_jobs)
{
	static const struct {
		const char *line;
		const char *jobs;
	} row[] = {
		{"{\"items\":[]}", "run"},
		{"{\"end\":true}", "run"},
		{"{\"stop\":\"x\"}", "exec"},
		{"{\"input\":\"eA==\"}", "exec"},
		{"{\"join\":1}", "exec shell"},
		{"{\"rows\":24,\"cols\":80}", "shell"},
		{"{\"field\":\"return\"}", ""},
		{EXEC, ""},
	};
	static const char *const jobs[] = {RUN, EXEC, SHELL};
	struct vbm_error err = {0};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_value struct value *line = must_read_json(row[i].line);

		for (k = 0; k < ARRAY_SIZE(jobs); k++) {
			auto_value struct value *job = must_read_json(jobs[k]);
			const char *name = event_string(job, "job");

			assert_int_equal(sent_check_line(line, job, &err),
					 strstr(row[i].jobs, name) ? 0 : -EPROTO);
			assert_int_equal(sent_check_job(job, &err), 0);
		}
	}
	assert_string_equal(err.msg, "job 'exec' does not follow a job 'shell'");
}

TEST(test_sent__readers__read_it)
{
	auto_value struct value *job = must_read_json(EXEC);
	auto_free char *cwd = event_bytes(job, "cwd"), *none = event_bytes(job, "rsh");

	assert_string_equal(event_string(job, "lane"), "uml");
	assert_int_equal(event_integer(job, "timeout_ms"), 9);
	assert_string_equal(value_get_string(event_texts(job, "env"), "PATH", ""), "/bin");
	assert_int_equal(event_bytes_list(job, "env_bytes")->list.count, 2);
	assert_string_equal(cwd, "/");
	assert_null(none);
}

/* In a release build, where a mistake does not abort. */
TEST(test_sent__mistakes_of_the_code__are_faults)
{
	auto_value struct value *job = must_read_json(EXEC), *made = value_dup(job);
	struct value *const wrong[] = {value_string("9"), value_null()};
	size_t i;

	event_faults_abort(false);
	assert_string_equal(event_string(job, "lnae"), "(internal error)");
	assert_true(event_faulted());
	event_faults_abort(false);
	assert_int_equal(event_integer(job, "lane"), -1);
	assert_true(event_faulted());
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		event_faults_abort(false);
		value_set(made, "timeout_ms", wrong[i]);
		sent_made(made);
		assert_true(event_faulted());
	}
	event_faults_abort(true);
}

/* Whether the line that begins at @row has @word. */
static bool row_has(const char *row, const char *word)
{
	const char *at = row ? strstr(row, word) : NULL;

	return at && at < row + strcspn(row, "\n");
}

/* The page explains each kind in a row; another row has the members of each job. */
TEST(test_sent__kinds__are_those_of_the_page)
{
	auto_free char *page = NULL;
	const struct event_kind *kind;
	const struct event_member *m;
	const char *section, *common, *row;
	size_t i;

	assert_int_equal(file_read(test_data("../../docs/plan.md"), &page, NULL, NULL), 0);
	section = strstr(page, "\n## The job");
	assert_non_null(section);
	common = strstr(section, "| each job |");
	for (i = 0; (kind = sent_kind_at(i)); i++) {
		auto_free char *title = xasprintf("\n| %s `%s` |", kind->noun, kind->name);

		row = strstr(section, title);
		if (!row)
			fail_msg("docs/plan.md has no row '%s'", title + 1);
		for (m = kind->member; m->name; m++) {
			auto_free char *word = xasprintf("`%s`", m->name);

			if (!row_has(row + 1, word) &&
			    (strcmp(kind->noun, "job") != 0 || !row_has(common, word)))
				fail_msg("docs/plan.md: '%s' has no member %s", kind->name, word);
		}
	}
}
