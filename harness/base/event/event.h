/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_EVENT_H
#define VBM_EVENT_EVENT_H

/*
 * Runs in: the runner writes, the front end reads; one thread each.
 * Owns:    the stream that the caller opened, and its sequence number.
 * Ends:    with the event "end", or at the first damaged line.
 * Tests:   unit/test_stream, test_event_read, test_sent; fuzz/fuzz_events.
 */

/*
 * The event stream. Each line of it begins with a key (stream.h). An event is a map with "event"
 * (its kind), "seq" (from 1, without a gap, one counter for a runner's life) and "ms" (since
 * the runner started). kinds.c has the kinds and their members, docs/events.md explains each,
 * and read.h reads them. The front end makes some events of its own for the sinks
 * (report.h); these have no "seq" and no "ms".
 *
 * "us" is the time of a call; "own_us" is the time that the harness spent on a scenario,
 * without its calls and the building of its fabric. "reason" may be null, and so may the
 * "name" of a kernel message that no scenario's steps caused. "broken": the kernel is no
 * longer to be trusted, so the run continues with a fresh one.
 */

#include <stdbool.h>

#include <verbatim/error.h>

#include "base/text.h"

struct text;
struct value;

/* The verdict of a variant. */
enum verdict {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_XFAIL,
	VERDICT_XPASS,
	VERDICT_SKIP,
	VERDICT_INVALID,
	VERDICT_ERROR,
	VERDICT_COUNT
};

const char *verdict_name(enum verdict v);	/* "PASS" */
int verdict_parse(const char *name, enum verdict *v);

/* Whether a run that has this verdict may exit with 0. */
bool verdict_is_expected(enum verdict v);

/*
 * kinds.c: whether @event is of a kind that a runner makes, and has the members of that kind
 * with the right types; other members are allowed. -EPROTO with the mistake in @err otherwise.
 */
int event_check(const struct value *event, struct vbm_error *err);
int event_check_any(const struct value *event, struct vbm_error *err);	/* also of the front end */

/*
 * To be called for an event that this program has made. If it does not have exactly the
 * members of its kind, that is a mistake of the code: event_fault().
 */
void event_made(const struct value *event);

/* The member "event"; borrowed, never NULL. */
const char *event_kind(const struct value *event);
bool event_is(const struct value *event, const char *kind);

/*
 * The text of a step, a fail or a last event, added to @t; @path is the scenario's file.
 * The runner uses it for the reason of a verdict and the reports use it for their lines,
 * so both are the same byte for byte.
 *
 *   origin     " (in scenarios/fragments/qps.yaml:12:5, i=3)", " (with i=3)", ""
 *   position   "FILE:8:5: a.getaddrinfo" and the origin; without a file "command 2: b.on"
 *   fail       the position, then ": return: expected EAI_QPTYPE (-7), got 0"
 */
void event_add_origin(struct text *t, const struct value *event);
void event_add_position(struct text *t, const struct value *event, const char *path);
void event_add_fail(struct text *t, const struct value *event, const char *path);

/*
 * When a wait runs out, the fail event has this text in "expected", and "answer" in
 * "field". Its "actual" is then a whole phrase, for example "no completion within 10.0 s".
 */
#define EXPECTED_IN_TIME "an answer in time"

struct value;

/*
 * An event, and its line of JSON once somebody has asked for it. Several reports write the same line, so it is
 * made once. Start with {.event = event}.
 */
struct event_line {
	const struct value *event;	/* borrowed */
	bool more;		/* another event follows at once, so a report may keep this line and write both together */
	struct text text;		/* owned */
};

#define EVENT_LINES_MAX 65536	/* bytes of lines that may wait */

const struct text *event_line_text(struct event_line *l);	/* borrowed; it ends with a newline */
void event_line_fini(struct event_line *l);

/*
 * A mistake in this program: its code reads or makes an event in a way that the table of
 * kinds (kinds.h) does not allow. A build for development (configure --enable-debug)
 * aborts. Any other build prints the first mistake, and its exit status is never 0.
 */
void event_fault(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool event_faulted(void);

/* For tests: whether a mistake aborts, whatever the build is for. Forgets earlier ones. */
void event_faults_abort(bool yes);

struct value;

/*
 * A summary with a row for each variant and the texts of all errors: summary.json of --output, and a line of
 * a history. It is made from the events of a run.
 */
struct verdict_rows {
	struct value *scenarios;	/* owned; list of maps */
	struct value *errors;		/* owned; list of strings */
};

void verdict_rows_init(struct verdict_rows *r);
void verdict_rows_fini(struct verdict_rows *r);

/* Takes a "verdict" or an "error"; ignores other events. The row that it made, borrowed, or NULL. */
struct value *verdict_rows_event(struct verdict_rows *r, const struct value *event);

/* A copy of the "summary" event with the rows; the caller frees it. */
struct value *verdict_rows_summary(const struct verdict_rows *r, const struct value *event);

#endif
