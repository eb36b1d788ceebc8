/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_REPORT_H
#define VBM_REPORT_REPORT_H

/*
 * Runs in: the front end, in its main thread, event by event.
 * Owns:    its output, which it writes to out.c or to the folder of --output.
 * Ends:    with the event "end", or when the run ends without it.
 * Tests:   tests/cli/report.test, formats.test; unit/test_ladder, test_unexpected.
 */

#include <stdbool.h>
#include <stdio.h>

#include <verbatim/error.h>

#include "base/text.h"
#include "event/event.h"

struct event_line;
struct stored_run;
struct value;

/*
 * A report is a sink for the event stream, to which the front end adds events
 * (event.h); it has no other input. A sink appends to the text of its report.
 * Only report_event() and report_close() write.
 */
struct report_options {
	FILE *out;		/* borrowed */
	bool color;
	bool live;		/* @out is a terminal, so progress may be redrawn */
	bool verbose;
	/*
	 * For formats that tell what is new (report_ops.compares): the verdict of a variant in the run before this
	 * one, or VERDICT_COUNT if it did not run there. NULL: there is no run before this one.
	 */
	enum verdict (*earlier)(const struct stored_run *run, const char *variant);
	const struct stored_run *earlier_run;	/* borrowed */
};

struct report;

struct report_ops {
	const char *name;	/* "pretty" */
	const char *doc;
	size_t priv_size;
	bool compares;		/* wants report_options.earlier */
	void (*open)(struct report *r);		/* may be NULL, like close */
	void (*event)(struct report *r, const struct value *event);
	void (*close)(struct report *r);	/* adds the text that was kept until the end */
};

struct report {
	const struct report_ops *ops;
	struct report_options opts;
	struct text text;	/* not yet written */
	struct event_line *line;	/* borrowed; of the event, while ops->event() runs */
	void *priv;		/* owned; zeroed, of ops->priv_size */
};

/* A format is one file and one line each here and in report-table.c. */
extern const struct report_ops report_pretty, report_tap, report_ktap, report_junit;
extern const struct report_ops report_github, report_markdown;

extern const struct report_ops *const report_table[];	/* NULL-terminated */

const struct report_ops *report_find(const char *name);	/* NULL: there is no such format */
const char *report_name(size_t i);	/* name number @i of the table; NULL after the last one */
struct report *report_open(const struct report_ops *ops,
			   const struct report_options *opts);
/* 0, or the -errno of the first write that failed (a full disk). */
int report_event(struct report *r, const struct value *event);
int report_line(struct report *r, struct event_line *line);	/* the same; a report may keep the line while @line->more */
int report_close(struct report *r);	/* frees @r */

#endif
