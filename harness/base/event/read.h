/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_READ_H
#define VBM_EVENT_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"

struct value;

/*
 * The members of an event, of a job or of a line after the job (sent.h). A reader asks the table of kinds (kinds.h) whether an event of
 * this kind has @member, of which type, and whether the member may be absent. If the code
 * asks for anything else, that is a mistake of the code: see event_fault(). So there is no
 * fallback for a key that is misspelt. A borrowed value lives as long as the event.
 */
const char *event_string(const struct value *event, const char *member);
int64_t event_integer(const struct value *event, const char *member);
bool event_flag(const struct value *event, const char *member);
const struct value *event_map(const struct value *event, const char *member);
const struct value *event_any(const struct value *event, const char *member);

/* A list of strings or of maps, a map of strings. NULL: the member is absent. */
const struct value *event_strings(const struct value *event, const char *member);
const struct value *event_maps(const struct value *event, const char *member);

const struct value *event_texts(const struct value *event, const char *member);

/* The value that json_bytes() made; the caller frees the text. NULL: the member is absent. */
const struct value *event_bytes_list(const struct value *event, const char *member);
char *event_bytes(const struct value *event, const char *member);

/* Members that may be absent, or null: then the reader gives @absent. */
const char *event_string_or(const struct value *event, const char *member, const char *absent);
int64_t event_integer_or(const struct value *event, const char *member, int64_t absent);
bool event_flag_or(const struct value *event, const char *member, bool absent);

/* Whether a member that may be absent is there. */
bool event_has(const struct value *event, const char *member);

/* Of a "verdict". */
enum verdict event_verdict(const struct value *event);

/* The variant of an event of any kind. NULL and -1: the event has no variant. */
const char *event_name(const struct value *event);
int64_t event_variant(const struct value *event);

/*
 * Whether @event, of any kind, is a complaint of the kernel that changes no verdict, because no variant was running.
 * A complaint that a finding describes does not count.
 */
bool event_is_complaint_of_none(const struct value *event);

#endif
