/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_LADDER_H
#define VBM_REPORT_LADDER_H

#include <stddef.h>

struct text;
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

#endif
