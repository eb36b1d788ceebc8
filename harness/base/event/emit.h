/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_EMIT_H
#define VBM_EVENT_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value;

/* The runner's end of the event stream: it numbers each event and adds its time. */
struct emitter {
	int fd;
	const char *key;	/* borrowed; begins each line (stream.h); NULL: no key */
	int64_t start_ns;
	int64_t seq;
	bool holds;
	size_t held_len;
	char held[8192];	/* lines that emit_release() writes */
	int error;	/* -errno of the first failed write; later events are dropped */
};

void emit_init(struct emitter *e, int fd);

/* Make an event map of @kind, to be filled and passed to emit_take(). */
struct value *emit_new(struct emitter *e, const char *kind);

/* The same for an event at the time @at_ns of clock_now_ns(). */
struct value *emit_new_at(struct emitter *e, const char *kind, int64_t at_ns);
void emit_take(struct emitter *e, struct value *event);

/*
 * Between the two, events wait and are written at once, because each write wakes the reader. No process may be
 * started meanwhile: it would have a copy of the key.
 */
void emit_hold(struct emitter *e);
void emit_release(struct emitter *e);

/* Shorthands. */
void emit_error(struct emitter *e, int code, const char *text);
void emit_end(struct emitter *e, int broken);

#endif
