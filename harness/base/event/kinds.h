/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_KINDS_H
#define VBM_EVENT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct value;

/*
 * The table of kinds: the members of each kind of event, and their types. All code that
 * checks, reads or makes events asks this table, and docs/events.md explains it.
 */
enum event_type {
	EVENT_INTEGER,
	EVENT_STRING,
	EVENT_STRING_OR_NULL,
	EVENT_FLAG,
	EVENT_VERDICT,		/* a string, the name of a verdict */
	EVENT_STRINGS,		/* a list */
	EVENT_NUMBERS,		/* a map of integers */
	EVENT_MAP,
	EVENT_MAPS,		/* a list */
	EVENT_TEXTS,		/* a map of strings */
	EVENT_BYTES,		/* of json_bytes() */
	EVENT_BYTES_LIST,
	EVENT_ANY,
};

struct event_member {
	const char *name;
	enum event_type type;
	bool optional;		/* may be missing; if present, it has this type */
};

#define EVENT_MEMBERS 24

struct event_kind {
	const char *name;
	bool front;		/* only the front end makes it, never a runner */
	struct event_member member[EVENT_MEMBERS];	/* ends with a NULL name, unless it is full */
	const char *noun;	/* "job" or "line" of the table in sent.c; NULL: an event */
	const char *jobs;	/* those that a line may follow; NULL: it is in a list of another map */
	bool open;		/* other modules read and check further members */
};

const struct event_kind *event_kind_at(size_t i);	/* NULL after the last one */

/* Borrowed; NULL: events of this kind have no such member. */
const struct event_member *event_member(const struct value *event, const char *name);
bool event_member_fits(const struct event_member *m, const struct value *v);
bool event_member_may_be_absent(const struct event_member *m);

/* For a message: "event" and "step", "job" and "exec". Borrowed. */
const char *event_noun(const struct value *v);
const char *event_label(const struct value *v);
const char *event_type_name(enum event_type type);	/* "an integer" */

#endif
