/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_EMIT_H
#define VBM_EVENT_EMIT_H

#include <stdint.h>

struct value;

/* The runner's end of the event stream: numbers and times each event. */
struct emitter {
	int fd;
	const char *key;	/* borrowed; what each line begins with (key.h); NULL: nothing */
	int64_t start_ns;
	int64_t seq;
	int error;	/* -errno of the first write that failed; then all is quiet */
};

void emit_init(struct emitter *e, int fd);

/* A new event map of @kind, to be filled and passed to emit_take(). */
struct value *emit_new(struct emitter *e, const char *kind);

/* The same for something that was at @at_ns, as clock_now_ns() told it. */
struct value *emit_new_at(struct emitter *e, const char *kind, int64_t at_ns);
void emit_take(struct emitter *e, struct value *event);

/* Shorthands. */
void emit_error(struct emitter *e, int code, const char *text);
void emit_end(struct emitter *e, int broken);

#endif
