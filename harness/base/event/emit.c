/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/emit.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"

void emit_init(struct emitter *e, int fd)
{
	*e = (struct emitter){.fd = fd, .start_ns = clock_now_ns()};
}

struct value *emit_new(struct emitter *e, const char *kind)
{
	return emit_new_at(e, kind, clock_now_ns());
}

struct value *emit_new_at(struct emitter *e, const char *kind, int64_t at_ns)
{
	struct value *event = value_map();

	value_set_string(event, "event", kind);
	value_set_int(event, "seq", ++e->seq);
	value_set_int(event, "ms", (at_ns - e->start_ns) / 1000000);
	return event;
}

static void write_line(struct emitter *e, const char *text, size_t len)
{
	if (!e->error)
		e->error = file_write(e->fd, text, len);
}

static void write_held(struct emitter *e)
{
	if (e->held_len)
		write_line(e, e->held, e->held_len);
	explicit_bzero(e->held, e->held_len);
	e->held_len = 0;
}

void emit_hold(struct emitter *e)
{
	e->holds = true;
}

void emit_release(struct emitter *e)
{
	e->holds = false;
	write_held(e);
}

void emit_take(struct emitter *e, struct value *event)
{
	auto_free char *text = json_write(event);
	size_t key = e->key ? strlen(e->key) : 0, size = key + strlen(text) + 3, len;
	auto_free char *line = xcalloc(size, 1);

	event_made(event);
	snprintf(line, size, "%s%s%s\n", e->key ? e->key : "", key ? " " : "", text);
	len = strlen(line);
	if (e->held_len + len > sizeof(e->held))
		write_held(e);
	if (e->holds && len <= sizeof(e->held)) {
		memcpy(e->held + e->held_len, line, len);
		e->held_len += len;
	} else {
		write_line(e, line, len);
	}
	/* A child of fork() has a copy of freed memory too, so the key is erased. */
	explicit_bzero(line, key);
	value_free(event);
}

void emit_error(struct emitter *e, int code, const char *text)
{
	struct value *event = emit_new(e, "error");

	value_set_int(event, "code", code);
	value_set_string(event, "text", text);
	emit_take(e, event);
}

void emit_end(struct emitter *e, int broken)
{
	struct value *event = emit_new(e, "end");
	struct rusage usage = {0};

	getrusage(RUSAGE_SELF, &usage);
	value_set_int(event, "events", e->seq);
	value_set_bool(event, "broken", broken);
	value_set_int(event, "rss_kb", usage.ru_maxrss);
	emit_take(e, event);
}
