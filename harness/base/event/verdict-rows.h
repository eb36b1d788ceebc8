/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_VERDICT_ROWS_H
#define VBM_EVENT_VERDICT_ROWS_H

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
