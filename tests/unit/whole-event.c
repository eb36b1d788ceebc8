/* SPDX-License-Identifier: BSD-2-Clause */
#include "whole-event.h"

#include "base/value.h"
#include "event/event.h"
#include "event/kinds.h"

static struct value *neutral(enum event_type type)
{
	switch (type) {
	case EVENT_INTEGER:
		return value_int(0);
	case EVENT_FLAG:
		return value_bool(false);
	case EVENT_VERDICT:
		return value_string("ERROR");
	case EVENT_STRINGS:
	case EVENT_MAPS:
	case EVENT_BYTES_LIST:
		return value_list();
	case EVENT_NUMBERS:
	case EVENT_MAP:
	case EVENT_TEXTS:
		return value_map();
	case EVENT_STRING:
	case EVENT_STRING_OR_NULL:
	case EVENT_BYTES:
		return value_string("");
	case EVENT_ANY:
		break;
	}
	return value_null();
}

void make_whole(struct value *event)
{
	const struct event_kind *kind;
	const struct event_member *m;
	size_t i;

	for (i = 0; (kind = event_kind_at(i)); i++) {
		if (!event_is(event, kind->name))
			continue;
		for (m = kind->member; m->name; m++)
			if (!event_member_may_be_absent(m) && !value_get(event, m->name))
				value_set(event, m->name, neutral(m->type));
	}
}
