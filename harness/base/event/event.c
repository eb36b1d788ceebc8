/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/event.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
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
