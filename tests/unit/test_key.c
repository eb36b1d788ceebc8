/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: event/stream.c job/job-key.c */
#include "cmocka_all.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/value.h"
#include "event/stream.h"
#include "job/job-key.h"

#define KEY "00112233445566778899aabbccddeeff"
#define HELLO "{\"event\":\"hello\",\"seq\":1,\"ms\":0,\"version\":\"0\",\"kernel\":\"7.2\"}\n"
#define END "{\"event\":\"end\",\"seq\":2,\"ms\":3,\"events\":2,\"broken\":false}\n"

TEST(test_key__each_place__has_another)
{
	char a[KEY_LENGTH + 1], b[KEY_LENGTH + 1];

	stream_key_make(a);
	stream_key_make(b);
	assert_int_equal(strlen(a), KEY_LENGTH);
	assert_int_equal(strspn(a, "0123456789abcdef"), KEY_LENGTH);
	assert_string_not_equal(a, b);
}

TEST(test_key__only_the_whole_one__fits)
{
	static const struct {
		const char *line, *rest;	/* NULL: it does not fit */
	} rows[] = {
		{KEY " {}", "{}"}, {KEY " ", ""}, {KEY, NULL}, {KEY "{}", NULL}, {"{}", NULL},
		{"", NULL}, {" " KEY " {}", NULL}, {"00112233 {}", NULL},
	};
	const char *line;
	size_t i, len;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		line = rows[i].line;
		len = strlen(line);
		assert_int_equal(stream_key_fits(KEY, &line, &len), rows[i].rest != NULL);
		assert_string_equal(line, rows[i].rest ? rows[i].rest : rows[i].line);
		assert_int_equal(len, strlen(line));
	}
	line = "{}";
	len = 2;
	assert_true(stream_key_fits(NULL, &line, &len));
	assert_true(stream_key_fits("", &line, &len));
}

static int count(const struct value *event, void *arg)
{
	(void)event;
	++*(int *)arg;
	return 0;
}

static int play(const char *bytes, struct vbm_error *err)
{
	int events = 0, rc;
	struct stream *s = stream_new(count, &events);

	stream_expect_key(s, KEY);
	rc = stream_feed(s, bytes, strlen(bytes), err);
	if (rc == 0)
		rc = stream_finish(s, err);
	stream_free(s);
	return rc < 0 ? rc : events;
}

TEST(test_stream__a_line_without_the_key__breaks_it)
{
	struct vbm_error err = {0};

	assert_int_equal(play(HELLO KEY " " END, &err), 2);
	assert_true(play(HELLO END, &err) < 0);
	assert_non_null(strstr(err.msg, "a line without the key"));
	assert_true(play(HELLO "00112233445566778899aabbccddeef0 " END, &err) < 0);
	assert_true(play(KEY " " HELLO KEY " " END, &err) < 0);
}

/* Agents are children of the runner, and contain the library under test. */
TEST(test_job_key__a_child__does_not_have_it)
{
	auto_value struct value *job = value_map();
	const char *key;
	int status = 0;
	pid_t pid;

	assert_null(job_key_keep(job));
	value_set_string(job, KEY_MEMBER, "short");
	assert_null(job_key_keep(job));
	value_set_string(job, KEY_MEMBER, KEY);
	key = job_key_keep(job);
	assert_string_equal(key, KEY);
	assert_string_equal(value_get_string(job, KEY_MEMBER, "?"), "");
	pid = fork();
	if (pid == 0)
		_exit(key[0] ? 1 : 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(key, KEY);
}
