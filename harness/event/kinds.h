/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_KINDS_H
#define VBM_EVENT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct value;

/*
 * The table of kinds: which members an event of each kind has, and of which type. Who
 * checks, reads or makes events asks this table, and docs/events.md explains it.
 */
enum event_type {
	EVENT_INTEGER,
	EVENT_STRING,
	EVENT_STRING_OR_NULL,
	EVENT_FLAG,
	EVENT_VERDICT,		/* the name of one, a string */
	EVENT_STRINGS,		/* a list */
	EVENT_NUMBERS,		/* a map of integers */
	EVENT_MAP,
	EVENT_MAPS,		/* a list */
	EVENT_ANY,
};

struct event_member {
	const char *name;
	enum event_type type;
	bool optional;		/* may be missing; has its type where it is there */
};

struct event_kind {
	const char *name;
	bool front;		/* the front end makes it, and a runner does not */
	struct event_member member[16];		/* ends with a NULL name */
};

const struct event_kind *event_kind_at(size_t i);	/* NULL behind the last one */

/* Borrowed; NULL: events of this kind have no such member. */
const struct event_member *event_member(const struct value *event, const char *name);
bool event_member_fits(const struct event_member *m, const struct value *v);
bool event_member_may_be_absent(const struct event_member *m);
const char *event_type_name(enum event_type type);	/* "an integer" */

#endif
