/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_STREAM_H
#define VBM_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "process/line.h"

struct value;

/*
 * The reading end of a runner's event stream: bytes in, checked events out.
 * Pure; the caller has the descriptor. What comes out of a guest is not to be
 * trusted: a line that is too long or not JSON, an unknown kind, a missing
 * member, a gap in "seq", no "hello" first, a wrong count at the end or bytes
 * after it break the stream for good.
 */
/*
 * An event holds a whole request to an agent and a whole answer, each a line
 * of LINE_BYTES_MAX at most.
 */
#define STREAM_LINE_MAX (4 * LINE_BYTES_MAX)

struct stream;

/* Borrowed event. A negative return stops the feeding and is passed on. */
typedef int (*stream_fn)(const struct value *event, void *arg);

struct stream *stream_new(stream_fn fn, void *arg);
void stream_free(struct stream *s);	/* NULL is fine */

/*
 * From now on each line has to begin with @key (event/key.h), but for the first of
 * the stream. Borrowed.
 */
void stream_expect_key(struct stream *s, const char *key);

/*
 * Hand over @len bytes; @fn is called for each event they complete. -EPROTO
 * when the stream is broken, now or earlier, with event number and byte
 * offset in @err; or what @fn returned.
 */
int stream_feed(struct stream *s, const void *data, size_t len, struct vbm_error *err);

/* No more bytes will come: 0 only when the last event was "end". */
int stream_finish(struct stream *s, struct vbm_error *err);

bool stream_ended(const struct stream *s);	/* "end" has been read */
bool stream_broken(const struct stream *s);

#endif
