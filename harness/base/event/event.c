/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "event/read.h"

void event_add_origin(struct text *t, const struct value *event)
{
	const char *fragment = event_string_or(event, "fragment", NULL);
	const char *round = event_string_or(event, "round", NULL);

	if (fragment)
		text_addf(t, " (in %s%s%s)", fragment, round ? ", " : "", round ? round : "");
	else if (round)
		text_addf(t, " (with %s)", round);
}

void event_add_position(struct text *t, const struct value *event, const char *path)
{
	if (*path)
		text_addf(t, "%s:%" PRId64 ":%" PRId64 ": ", path, event_integer(event, "line"),
			  event_integer(event, "col"));
	else
		text_addf(t, "command %" PRId64 ": ", event_integer(event, "line"));
	text_addf(t, "%s.%s", event_string(event, "host"), event_string(event, "call"));
	event_add_origin(t, event);
}

void event_add_fail(struct text *t, const struct value *event, const char *path)
{
	const char *expected = event_string(event, "expected");
	const char *actual = event_string(event, "actual");
	int64_t outcome = event_integer_or(event, "outcome", 0);

	event_add_position(t, event, path);
	if (strcmp(expected, EXPECTED_IN_TIME) == 0)
		text_addf(t, ": %s", actual);
	else
		text_addf(t, ": %s: expected %s, got %s", event_string(event, "field"),
			  expected, actual);
	if (outcome)
		text_addf(t, " (outcome %" PRId64 ")", outcome);
}

const struct text *event_line_text(struct event_line *l)
{
	if (l->text.len == 0) {
		json_add(&l->text, l->event);
		text_add(&l->text, "\n");
	}
	return &l->text;
}

void event_line_fini(struct event_line *l)
{
	text_fini(&l->text);
}

void verdict_rows_init(struct verdict_rows *r)
{
	r->scenarios = value_list();
	r->errors = value_list();
}

void verdict_rows_fini(struct verdict_rows *r)
{
	value_free(r->scenarios);
	value_free(r->errors);
	*r = (struct verdict_rows){0};
}

struct value *verdict_rows_event(struct verdict_rows *r, const struct value *event)
{
	struct value *row;

	if (event_is(event, "error"))
		value_append(r->errors, value_string(event_string(event, "text")));
	if (!event_is(event, "verdict"))
		return NULL;
	row = value_map();
	value_set_string(row, "name", event_string(event, "name"));
	value_set_string(row, "verdict", event_string(event, "verdict"));
	value_set_string(row, "reason", event_string_or(event, "reason", ""));
	value_set_int(row, "took_ms", event_integer(event, "took_ms"));
	if (event_has(event, "findings"))
		value_set(row, "findings", value_dup(event_strings(event, "findings")));
	value_append(r->scenarios, row);
	return row;
}

struct value *verdict_rows_summary(const struct verdict_rows *r, const struct value *event)
{
	struct value *summary = value_dup(event);

	value_set(summary, "errors", value_dup(r->errors));
	value_set(summary, "scenarios", value_dup(r->scenarios));
	return summary;
}
