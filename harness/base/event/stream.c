/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "process/line.h"

struct stream {
	stream_fn fn;
	void *arg;
	struct line_buffer in;
	const char *key;	/* borrowed, or NULL */
	int64_t seq;		/* of the last event */
	int64_t offset;		/* of the line being read */
	bool ended;
	bool broken;
	struct vbm_error why;	/* the cause when the stream is broken */
};

struct stream *stream_new(stream_fn fn, void *arg)
{
	struct stream *s = xcalloc(1, sizeof(*s));

	s->in.max = STREAM_LINE_MAX;
	s->fn = fn;
	s->arg = arg;
	return s;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	line_buffer_fini(&s->in);
	free(s);
}

void stream_expect_key(struct stream *s, const char *key)
{
	s->key = key;
}

static int break_off(struct stream *s, struct vbm_error *err)
{
	s->broken = true;
	vbm_wrap(&s->why, "event stream broken at event %" PRId64 " (byte %" PRId64 ")",
		 s->seq + 1, s->offset);
	if (err)
		*err = s->why;
	return -EPROTO;
}

/* Check the event against the ones before it. */
static int check_order(const struct stream *s, const struct value *event, struct vbm_error *err)
{
	int64_t seq = event_integer_or(event, "seq", -1);

	if (seq != s->seq + 1)
		return vbm_fail(err, EPROTO, "its number is %" PRId64, seq);
	if (event_integer_or(event, "ms", -1) < 0)
		return vbm_fail(err, EPROTO, "it has no time");
	if (event_is(event, "hello") != (seq == 1))
		return vbm_fail(err, EPROTO, "'%.40s' is not allowed here", event_kind(event));
	if (event_is(event, "end") && event_integer(event, "events") != seq)
		return vbm_fail(err, EPROTO, "the end counts %" PRId64 " events",
				event_integer(event, "events"));
	return 0;
}

static int take_line(struct stream *s, const char *line, size_t len, struct vbm_error *err)
{
	auto_value struct value *event = NULL;
	size_t whole = len;
	int rc;

	if (s->ended) {
		vbm_fail(&s->why, EPROTO, "something follows the end");
		return break_off(s, err);
	}
	if (s->seq && !stream_key_fits(s->key, &line, &len)) {
		vbm_fail(&s->why, EPROTO, "a line without the key: the runner did not write it");
		return break_off(s, err);
	}
	event = json_read(line, len, &s->why);
	if (!event || event_check(event, &s->why) < 0 || check_order(s, event, &s->why) < 0)
		return break_off(s, err);
	s->seq++;
	s->offset += (int64_t)whole + 1;
	s->ended = event_is(event, "end");
	rc = s->fn(event, s->arg);
	if (rc < 0)
		vbm_fail(err, -rc, "event %" PRId64 ": %s", s->seq, strerror(-rc));
	return rc;
}

int stream_feed(struct stream *s, const void *data, size_t len, struct vbm_error *err)
{
	const char *line;
	size_t n;
	int rc;

	if (s->broken) {
		if (err)
			*err = s->why;
		return -EPROTO;
	}
	line_feed(&s->in, data, len);
	while ((rc = line_next(&s->in, &line, &n)) > 0) {
		rc = take_line(s, line, n, err);
		if (rc < 0)
			return rc;
	}
	if (rc == 0)
		return 0;
	vbm_fail(&s->why, EPROTO, "a line longer than %d bytes", STREAM_LINE_MAX);
	return break_off(s, err);
}

int stream_finish(struct stream *s, struct vbm_error *err)
{
	if (s->broken) {
		if (err)
			*err = s->why;
		return -EPROTO;
	}
	if (s->ended && !line_begun(&s->in))
		return 0;
	vbm_fail(&s->why, EPROTO, "%s", line_begun(&s->in) ? "cut off within a line" :
							     "no end; the runner or its machine is gone");
	return break_off(s, err);
}

bool stream_ended(const struct stream *s)
{
	return s->ended;
}

bool stream_broken(const struct stream *s)
{
	return s->broken;
}

void stream_key_make(char key[KEY_LENGTH + 1])
{
	unsigned char bytes[KEY_LENGTH / 2];
	size_t i;

	/*
	 * getrandom() waits until the kernel has random numbers. It never returns only a
	 * part of a request as small as this one.
	 */
	while (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		if (errno != EINTR)
			abort();
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(key + 2 * i, 3, "%02x", bytes[i]);
}

bool stream_key_fits(const char *key, const char **line, size_t *len)
{
	size_t n = key ? strlen(key) : 0;

	if (!n)
		return true;
	if (*len <= n || memcmp(*line, key, n) != 0 || (*line)[n] != ' ')
		return false;
	*line += n + 1;
	*len -= n + 1;
	return true;
}
