/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/verdict-rows.h"

#include "base/value.h"
#include "event/read.h"

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
