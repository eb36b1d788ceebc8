/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_LINE_H
#define VBM_EVENT_LINE_H

#include <stdbool.h>

#include "base/text.h"

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

#endif
