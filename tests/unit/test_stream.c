/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: event/stream.c event/emit.c event/event.c run/tracker.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/agent-proto.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/emit.h"
#include "event/event.h"
#include "event/stream.h"
#include "process/line.h"
#include "run/tracker.h"

#define HELLO "{\"event\":\"hello\",\"seq\":1,\"ms\":0,\"version\":\"0\",\"kernel\":\"7.2\"}\n"
#define SCENARIO                                                              \
	"{\"event\":\"scenario\",\"seq\":2,\"ms\":1,\"id\":\"a/b\",\"variant\":0,\"name\":\"a/b\"," \
	"\"title\":\"t\",\"path\":\"a/b.yaml\",\"clauses\":[]}\n"
#define FAILED                                                                \
	"{\"event\":\"verdict\",\"seq\":3,\"ms\":2,\"variant\":0,\"name\":\"a/b\",\"verdict\":\"ERROR\"," \
	"\"reason\":\"r\",\"took_ms\":1,\"own_us\":2}\n"
#define END "{\"event\":\"end\",\"seq\":4,\"ms\":3,\"events\":4,\"broken\":false}\n"
#define GOOD HELLO SCENARIO FAILED END

struct seen {
	struct tracker t;
	struct track_runner runner;
	int events;
};

/* Like the front end: an event that is invalid ends the run. */
static int see(const struct value *event, void *arg)
{
	struct seen *seen = arg;

	seen->events++;
	tracker_count(&seen->t, event);
	return tracker_event(&seen->t, &seen->runner, event, NULL);
}

static void seen_init(struct seen *seen)
{
	seen->events = 0;
	seen->runner = (struct track_runner)TRACK_RUNNER_NEW;
	tracker_init(&seen->t);
	tracker_expect(&seen->t, "a/b", NULL);
}

static void seen_fini(struct seen *seen)
{
	track_runner_fini(&seen->runner);
	tracker_fini(&seen->t);
}

/* The whole life of a stream of @len bytes, which arrives in pieces. */
static int play(struct seen *seen, const char *bytes, size_t len, size_t piece,
		struct vbm_error *err)
{
	struct stream *s = stream_new(see, seen);
	size_t i, n;
	int rc = 0;

	seen_init(seen);
	for (i = 0; rc == 0 && i < len; i += n) {
		n = len - i < piece ? len - i : piece;
		rc = stream_feed(s, bytes + i, n, err);
	}
	if (rc == 0)
		rc = stream_finish(s, err);
	stream_free(s);
	return rc;
}

TEST(test_stream__good_one__in_pieces_of_any_size)
{
	struct vbm_error err;
	struct seen seen;
	size_t piece;

	for (piece = 1; piece <= sizeof(GOOD); piece++) {
		assert_int_equal(play(&seen, GOOD, strlen(GOOD), piece, &err), 0);
		assert_int_equal(seen.events, 4);
		assert_int_equal(seen.t.verdicts[VERDICT_ERROR], 1);
		seen_fini(&seen);
	}
}

TEST(test_stream__cut_at_any_byte__is_broken)
{
	struct vbm_error err;
	struct seen seen;
	size_t len;

	for (len = 0; len < strlen(GOOD); len++) {
		if (play(&seen, GOOD, len, 4096, &err) != -EPROTO)
			fail_msg("cut at byte %zu was not noticed", len);
		assert_non_null(strstr(err.msg, "event stream broken at event "));
		assert_int_equal(seen.t.verdicts[VERDICT_PASS], 0);
		seen_fini(&seen);
	}
}

TEST(test_stream__any_flipped_bit__never_makes_a_pass)
{
	struct vbm_error err;
	struct seen seen;
	size_t i, unnoticed = 0;
	int bit;

	for (i = 0; i < strlen(GOOD); i++) {
		for (bit = 0; bit < 8; bit++) {
			char bytes[] = GOOD;

			bytes[i] = (char)(bytes[i] ^ 1 << bit);
			unnoticed += play(&seen, bytes, strlen(GOOD), 4096, &err) == 0;
			assert_int_equal(seen.t.verdicts[VERDICT_PASS], 0);
			assert_false(tracker_all_expected(&seen.t));
			seen_fini(&seen);
		}
	}
	/*
	 * Changed bits in free text and in times are not noticed; changed bits in the
	 * frame are.
	 */
	assert_in_range(unnoticed, 1, strlen(GOOD) * 8 / 5);
}

TEST(test_stream__any_line_left_out_or_doubled__is_broken)
{
	static const char *const lines[] = {HELLO, SCENARIO, FAILED, END};
	struct vbm_error err;
	struct seen seen;
	size_t i, k, times;

	for (times = 0; times <= 2; times += 2) {
		for (i = 0; i < ARRAY_SIZE(lines); i++) {
			struct text all auto_text = {0};

			for (k = 0; k < ARRAY_SIZE(lines); k++) {
				if (k != i || times)
					text_add(&all, lines[k]);
				if (k == i && times)
					text_add(&all, lines[k]);
			}
			assert_int_equal(play(&seen, all.s, all.len, 4096, &err), -EPROTO);
			seen_fini(&seen);
		}
	}
}

static void expect_broken(const char *bytes, const char *why)
{
	struct vbm_error err = {0};
	struct seen seen;

	assert_int_equal(play(&seen, bytes, strlen(bytes), 4096, &err), -EPROTO);
	if (!strstr(err.msg, why))
		fail_msg("'%s' does not say '%s'", err.msg, why);
	seen_fini(&seen);
}

TEST(test_stream__errors__say_where_and_what)
{
	expect_broken("", "event 1 (byte 0): no end; the runner or its machine is gone");
	expect_broken("[    0.000000] Linux version 7.2\n", "event 1 (byte 0): bad JSON");
	expect_broken("7\n", "an event is a map, and this has the type integer");
	expect_broken("{\"event\":\"nonsense\",\"seq\":1}\n", "unknown kind of event 'nonsense'");
	expect_broken("{\"seq\":1}\n", "unknown kind of event ''");
	expect_broken("{\"event\":\"hello\",\"seq\":1,\"ms\":0,\"version\":\"\"}\n",
		      "event 'hello' lacks the member \"kernel\"");
	expect_broken("{\"event\":\"hello\",\"seq\":1,\"ms\":0,\"version\":1,\"kernel\":\"\"}\n",
		      "event 'hello': \"version\" is of type integer");
	expect_broken(HELLO "{\"event\":\"layout\",\"seq\":3,\"ms\":0,\"layout\":\"netns\"}\n",
		      "event 2 (byte 62): its number is 3");
	expect_broken("{\"event\":\"layout\",\"seq\":1,\"ms\":0,\"layout\":\"netns\"}\n",
		      "'layout' is not allowed here");
	expect_broken(HELLO "{\"event\":\"layout\",\"seq\":2,\"layout\":\"netns\"}\n",
		      "it has no time");
	expect_broken(HELLO "{\"event\":\"end\",\"seq\":2,\"ms\":0,\"events\":3,\"broken\":false}\n",
		      "the end counts 3 events");
	expect_broken(HELLO "{\"event\":\"log\",\"seq\":2,\"ms\":0,\"name\":\"a/b\",\"host\":\"a\","
			    "\"text\":\"t\"}\n", "event 'log' lacks the member \"variant\"");
	expect_broken(HELLO "{\"event\":\"kernel\",\"seq\":2,\"ms\":0,\"variant\":\"0\",\"level\":4,"
			    "\"text\":\"t\",\"bad\":false}\n",
		      "event 'kernel': \"variant\" is of type string");
	expect_broken(GOOD "\n", "something follows the end");
	expect_broken(GOOD "x", "cut off within a line");
	expect_broken(HELLO "\n", "bad JSON");
}

TEST(test_stream__endless_line__is_refused_early)
{
	char chunk[65536];
	struct vbm_error err;
	struct seen seen;
	struct stream *s;
	size_t fed = 0;
	int rc;

	seen_init(&seen);
	s = stream_new(see, &seen);
	memset(chunk, ' ', sizeof(chunk));
	do {
		rc = stream_feed(s, chunk, sizeof(chunk), &err);
		fed += sizeof(chunk);
	} while (rc == 0 && fed < 16 * STREAM_LINE_MAX);
	assert_int_equal(rc, -EPROTO);
	assert_in_range(fed, STREAM_LINE_MAX, STREAM_LINE_MAX + sizeof(chunk));
	assert_true(stream_broken(s));
	/* A broken stream stays broken, and keeps the cause. */
	assert_int_equal(stream_feed(s, GOOD, strlen(GOOD), &err), -EPROTO);
	assert_non_null(strstr(err.msg, "a line longer than"));
	assert_int_equal(stream_finish(s, &err), -EPROTO);
	stream_free(s);
	seen_fini(&seen);
}

static struct value *long_text(size_t len)
{
	struct value *map = value_map();
	char *s = xcalloc(1, len + 1);

	memset(s, 'x', len);
	value_set(map, "text", value_string_take(s));
	return map;
}

/* A step event holds a whole request, a whole answer, and more. */
static void emit_step(struct emitter *e, const struct value *args, const struct value *result)
{
	struct value *event = emit_new(e, "step");

	value_set_int(event, "variant", 0);
	value_set_int(event, "index", 0);
	value_set_string(event, "name", "a/b");
	value_set_int(event, "line", 1);
	value_set_int(event, "col", 1);
	value_set_string(event, "host", "a");
	value_set_string(event, "call", "note");
	value_set(event, "args", value_dup(args));
	value_set(event, "result", value_dup(result));
	value_set_int(event, "us", 1);
	value_set_bool(event, "ok", true);
	emit_take(e, event);
}

static int count(const struct value *event, void *arg)
{
	(void)event;
	++*(int *)arg;
	return 0;
}

TEST(test_stream__the_longest_answer_to_the_longest_request__fits_an_event)
{
	auto_value struct value *text = long_text(LINE_BYTES_MAX - 200);
	auto_free char *request = NULL, *answer = agent_encode_answer(1, text, NULL);
	auto_close int fd = memfd_create("events", MFD_CLOEXEC);
	auto_free char *bytes = NULL;
	struct vbm_error err = {0};
	struct emitter emit;
	struct value *hello;
	struct stream *s;
	int events = 0;
	off_t len;

	request = agent_encode_request(1, step_find("note"), NULL, 1, text);
	assert_in_range(strlen(request), LINE_BYTES_MAX - 200, LINE_BYTES_MAX);
	assert_in_range(strlen(answer), LINE_BYTES_MAX - 200, LINE_BYTES_MAX);
	emit_init(&emit, fd);
	hello = emit_new(&emit, "hello");
	value_set_string(hello, "version", "0");
	value_set_string(hello, "kernel", "7.2");
	emit_take(&emit, hello);
	emit_step(&emit, text, text);
	len = lseek(fd, 0, SEEK_CUR);
	bytes = xcalloc(1, (size_t)len);
	assert_int_equal(pread(fd, bytes, (size_t)len, 0), len);
	s = stream_new(count, &events);
	if (stream_feed(s, bytes, (size_t)len, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(events, 2);
	stream_free(s);
}

/* Each write wakes the reader, so the events of a step are written at once; the others stay whole. */
TEST(test_stream__events_that_are_held__come_in_order_with_one_write)
{
	auto_value struct value *text = long_text(9000), *shorter = long_text(100);
	struct vbm_error err = {0};
	struct emitter emit;
	char bytes[32768];
	int events = 0, ends[2];
	struct stream *s;
	struct value *hello;
	ssize_t n;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	emit_init(&emit, ends[1]);
	hello = emit_new(&emit, "hello");
	value_set_string(hello, "version", "0");
	value_set_string(hello, "kernel", "7.2");
	emit_hold(&emit);
	emit_take(&emit, hello);
	emit_step(&emit, shorter, shorter);
	emit_step(&emit, text, shorter);
	emit_step(&emit, shorter, shorter);
	emit_release(&emit);
	s = stream_new(count, &events);
	n = recv(ends[0], bytes, sizeof(bytes), MSG_DONTWAIT);
	assert_true(n > 0);
	assert_int_equal(stream_feed(s, bytes, (size_t)n, &err), 0);
	assert_int_equal(events, 2);
	while ((n = recv(ends[0], bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		assert_int_equal(stream_feed(s, bytes, (size_t)n, &err), 0);
	assert_int_equal(events, 4);
	emit_step(&emit, shorter, shorter);
	assert_true(recv(ends[0], bytes, sizeof(bytes), MSG_DONTWAIT) > 0);
	stream_free(s);
	close(ends[0]);
	close(ends[1]);
}
