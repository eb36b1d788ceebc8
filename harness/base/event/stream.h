/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_STREAM_H
#define VBM_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "process/line.h"

struct value;

/*
 * The reading end of a runner's event stream: it takes bytes and returns checked events.
 * Pure; the caller has the descriptor. Output of a guest is not trusted. Any of these
 * breaks the stream for good: a line that is too long or not JSON, an unknown kind, a
 * missing member, a gap in "seq", a first event other than "hello", a wrong count at the
 * end, or bytes after the end.
 */
/*
 * An event can hold a whole request to an agent and its whole answer, each a line of at
 * most LINE_BYTES_MAX bytes.
 */
#define STREAM_LINE_MAX (4 * LINE_BYTES_MAX)

struct stream;

/* The event is borrowed. A negative return value stops stream_feed(), which returns it. */
typedef int (*stream_fn)(const struct value *event, void *arg);

struct stream *stream_new(stream_fn fn, void *arg);
void stream_free(struct stream *s);	/* NULL is fine */

/*
 * From now on each line must begin with @key, except the first line of the
 * stream. Borrowed.
 */
void stream_expect_key(struct stream *s, const char *key);

/*
 * Take @len bytes, and call @fn for each event that they complete. -EPROTO when the stream
 * is broken now or was before, with the number of the event and the byte offset in @err;
 * or the value of @fn.
 */
int stream_feed(struct stream *s, const void *data, size_t len, struct vbm_error *err);

/* No more bytes will come. 0 only when the last event was "end". */
int stream_finish(struct stream *s, struct vbm_error *err);

bool stream_ended(const struct stream *s);	/* "end" has been read */
bool stream_broken(const struct stream *s);

/*
 * Each line between a front end and its runner begins with this key and a blank. The key
 * is a random number that only these two processes know; each place has another one. The
 * runner gets it with its job, so the hello before the job and the job itself have no key.
 */
#define KEY_LENGTH 32
#define KEY_MEMBER "key"	/* the member of the job */

/* Write KEY_LENGTH hexadecimal digits and a NUL byte. */
void stream_key_make(char key[KEY_LENGTH + 1]);

/*
 * Whether @line begins with the key. If so, the key is removed from *@line. Without a key
 * (NULL or empty) every line fits and stays as it is.
 */
bool stream_key_fits(const char *key, const char **line, size_t *len);

#endif
