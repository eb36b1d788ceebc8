/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/read.h"

#include <stddef.h>

#include "base/json.h"
#include "base/value.h"
#include "event/event.h"
#include "event/kinds.h"

/* A release build continues after a mistake of the code, and returns these values. */
#define WRONG_STRING "(internal error)"
#define WRONG_INTEGER (-1)

/* Whether the code may read a member of the type @is as @as. */
static bool reads(enum event_type is, enum event_type as)
{
	if (as == EVENT_STRING)
		return is == EVENT_STRING || is == EVENT_STRING_OR_NULL || is == EVENT_VERDICT;
	if (as == EVENT_MAP)
		return is == EVENT_MAP || is == EVENT_NUMBERS;
	return is == as;
}

enum found { FOUND, ABSENT, WRONG };

/* Says what is wrong about the member @name, which has the value @v or NULL. */
static void tell_fault(const struct value *event, const char *name, enum event_type as, bool may_be_absent,
		       const struct value *v)
{
	const struct event_member *m = event_member(event, name);
	const char *noun = event_noun(event), *kind = event_label(event);

	if (!m)
		event_fault("%s '%s' has no member \"%s\"", noun, kind, name);
	else if (!reads(m->type, as))
		event_fault("%s '%s': \"%s\" is %s, and the code reads it as %s", noun, kind, name,
			    event_type_name(m->type), event_type_name(as));
	else if (!may_be_absent && event_member_may_be_absent(m))
		event_fault("%s '%s': \"%s\" may be absent, and the code needs it", noun, kind,
			    name);
	else if (!v)
		event_fault("%s '%s' lacks the member \"%s\"", noun, kind, name);
	else
		event_fault("%s '%s': \"%s\" is of type %s and has to be %s", noun, kind, name,
			    value_type_name(v->type), event_type_name(m->type));
}

static enum found find_value(const struct value *event, const char *name, enum event_type as,
			     bool may_be_absent, const struct value **v)
{
	const struct event_member *m = event_member(event, name);
	bool optional = m && event_member_may_be_absent(m);

	*v = value_get(event, name);
	if (m && reads(m->type, as) && (may_be_absent || !optional) &&
	    (*v ? event_member_fits(m, *v) : optional))
		return *v && (as == EVENT_ANY || (*v)->type != VALUE_NULL) ? FOUND : ABSENT;
	tell_fault(event, name, as, may_be_absent, *v);
	return WRONG;
}

const char *event_string(const struct value *event, const char *member)
{
	const struct value *v;

	return find_value(event, member, EVENT_STRING, false, &v) == FOUND ? v->s : WRONG_STRING;
}

int64_t event_integer(const struct value *event, const char *member)
{
	const struct value *v;

	return find_value(event, member, EVENT_INTEGER, false, &v) == FOUND ? v->i : WRONG_INTEGER;
}

bool event_flag(const struct value *event, const char *member)
{
	const struct value *v;

	return find_value(event, member, EVENT_FLAG, false, &v) == FOUND && v->b;
}

const struct value *event_map(const struct value *event, const char *member)
{
	static const struct value empty = {.type = VALUE_MAP};
	const struct value *v;

	return find_value(event, member, EVENT_MAP, false, &v) == FOUND ? v : &empty;
}

const struct value *event_any(const struct value *event, const char *member)
{
	static const struct value null = {.type = VALUE_NULL};
	const struct value *v;

	return find_value(event, member, EVENT_ANY, false, &v) == FOUND ? v : &null;
}

const struct value *event_strings(const struct value *event, const char *member)
{
	const struct value *v;

	return find_value(event, member, EVENT_STRINGS, true, &v) == FOUND ? v : NULL;
}

const struct value *event_maps(const struct value *event, const char *member)
{
	const struct value *v;

	return find_value(event, member, EVENT_MAPS, true, &v) == FOUND ? v : NULL;
}

const struct value *event_texts(const struct value *event, const char *member)
{
	const struct value *v;

	return find_value(event, member, EVENT_TEXTS, true, &v) == FOUND ? v : NULL;
}

const struct value *event_bytes_list(const struct value *event, const char *member)
{
	const struct value *v;

	return find_value(event, member, EVENT_BYTES_LIST, true, &v) == FOUND ? v : NULL;
}

char *event_bytes(const struct value *event, const char *member)
{
	const struct value *v;

	return find_value(event, member, EVENT_BYTES, true, &v) == FOUND ? json_bytes_read(v) : NULL;
}

const char *event_string_or(const struct value *event, const char *member, const char *absent)
{
	const struct value *v;
	enum found found = find_value(event, member, EVENT_STRING, true, &v);

	return found == FOUND ? v->s : found == ABSENT ? absent : WRONG_STRING;
}

int64_t event_integer_or(const struct value *event, const char *member, int64_t absent)
{
	const struct value *v;
	enum found found = find_value(event, member, EVENT_INTEGER, true, &v);

	return found == FOUND ? v->i : found == ABSENT ? absent : WRONG_INTEGER;
}

bool event_flag_or(const struct value *event, const char *member, bool absent)
{
	const struct value *v;
	enum found found = find_value(event, member, EVENT_FLAG, true, &v);

	return found == FOUND ? v->b : found == ABSENT && absent;
}

bool event_has(const struct value *event, const char *member)
{
	const struct event_member *m = event_member(event, member);

	if (!m || !event_member_may_be_absent(m))
		event_fault("%s '%s' has no member \"%s\" that may be absent", event_noun(event),
			    event_label(event), member);
	return value_get(event, member);
}

enum verdict event_verdict(const struct value *event)
{
	enum verdict v = VERDICT_INVALID;

	verdict_parse(event_string(event, "verdict"), &v);
	return v;
}

const char *event_name(const struct value *event)
{
	return event_member(event, "name") ? event_string_or(event, "name", NULL) : NULL;
}

int64_t event_variant(const struct value *event)
{
	return event_member(event, "variant") ? event_integer_or(event, "variant", -1) : -1;
}

bool event_is_complaint_of_none(const struct value *event)
{
	return event_is(event, "kernel") && !event_name(event) &&
	       event_flag(event, "bad") && !event_has(event, "known");
}
