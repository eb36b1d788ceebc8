/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_VARIANT_H
#define VBM_REPORT_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "event/event.h"

struct value;

/*
 * The ladder of a variant that looked at packets: what each host called, which packets crossed, and the
 * first step that was not as expected. Pure. Start with {0}.
 */
#define LADDER_LINES 40

struct ladder {
	char *step[LADDER_LINES];	/* owned; lines of the last steps: step n is at n % LADDER_LINES */
	size_t steps;			/* all that there were */
	size_t failed;			/* which of them was the first that was not as expected, from 1; 0: none */
	struct value **packet;		/* owned; events */
	size_t packets;
};

/* Takes steps and packets; other events change nothing. */
void ladder_event(struct ladder *l, const struct value *event);

/* Adds a line for each step and packet, at most LADDER_LINES, each after @prefix. None if there were no packets. */
void ladder_add(const struct ladder *l, const char *prefix, struct text *out);
void ladder_fini(struct ladder *l);

/* Adds a text that is cut to @width (0: not cut), after a field if one ends in the second half; never inside a character. */
void report_cut(struct text *out, const char *words, size_t width);

/*
 * Collects the events of one scenario, from "scenario" to "verdict", for reports
 * that show it as a whole. Pure.
 */
struct events {
	struct value **item;	/* owned */
	size_t count;
};

struct report_variant {
	struct value *begin;		/* owned; the "scenario" event */
	struct events fails, lasts, logs, kernel;
	struct ladder ladder;		/* owned */
	struct value *end;		/* owned; the "verdict" event */
	enum verdict verdict;		/* the verdict in @end */
};

/* True when @event ended the scenario. Then @c is complete until the next event. */
bool report_variant_event(struct report_variant *c, const struct value *event);
void report_variant_fini(struct report_variant *c);

const char *report_variant_name(const struct report_variant *c);
const char *report_variant_path(const struct report_variant *c);	/* "" if its steps are commands, of no file */
const char *report_variant_reason(const struct report_variant *c);	/* "" if there is no reason */
int64_t report_variant_took_ms(const struct report_variant *c);
bool report_variant_is_bad(const struct report_variant *c);	/* not as expected */

/* The length of the area of "resolve/ud[ip=4]" ("resolve"); 0 when it has none. */
size_t report_variant_area_length(const struct report_variant *c);

/* "file:8:5: a.getaddrinfo: return: expected EAI_QPTYPE (-7), got 0" */
void report_variant_fail_line(const struct report_variant *c, const struct value *fail, struct text *out);

/*
 * The answer of a step or of a "last" event:
 * "line 7: a.get_cm_event: event REJECTED (8), status 28", or without the "a.".
 * The answer is cut to @width (0: not cut).
 */
void report_variant_answer_line(const struct value *step, bool with_host, size_t width,
				struct text *out);

/* The texts of a list of the "scenario" event, "A; B". Adds nothing when the list is empty. */
void report_variant_list(const struct report_variant *c, const char *key, struct text *out);

/*
 * The things that the variant left behind, "A; B". Adds nothing when it left nothing, as nearly
 * all do.
 */
void report_variant_left(const struct report_variant *c, struct text *out);

/*
 * Everything that helps to understand a verdict, a line each: failures, reason,
 * what was left behind, last steps, the packets, kernel messages and the ends of the agents' logs. Each line begins
 * with @prefix. Control characters are made visible. The reason is left out if a
 * failure says the same. @width limits the last answers.
 */
void report_variant_details(const struct report_variant *c, const char *prefix, size_t width,
			    struct text *out);

/* The members of a summary that say where a run was. */
#define REPORT_FACTS 8
extern const char *const report_facts[REPORT_FACTS];

/* Adds the place of a run: "kernel 7.3.4, netns layout, uml lane, rdma-core 60, target system". Devices of the default type are not named. */
void report_add_place(struct text *out, const struct value *summary, bool accelerator);

/* Adds "12 passed, 1 failed" of a summary. @color: of each verdict, or NULL. */
void report_add_counts(struct text *out, const struct value *summary, const char *const *color);

/* An error, or a message of the kernel outside all variants, which no verdict shows; NULL: it is neither. The caller frees it. */
char *report_trouble(const struct value *event);

#endif
