/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_REPORT_H
#define VBM_SESSION_EXEC_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "page/page.h"
#include "session/exec-status.h"
#include "runs/stored.h"

struct exec_options;
struct history;
struct lane;
struct report;
struct text;
struct value;

/*
 * The reports of --format, --html and --history. For them the whole run of commands is one variant,
 * with --name as its name, a step for each command that has ended, and a log for each host.
 * All calls are fine without these options, and do nothing then.
 */
struct exec_report {
	const struct exec_options *opts;
	struct report *report;		/* owned; NULL without --format */
	struct page *page;		/* owned; NULL without --html */
	struct page_file html;
	struct history *history;	/* owned; NULL without --history */
	struct stored_run earlier;	/* the last one of --history, for a format that compares */
	struct text *said;		/* owned; the end of the output, by command */
	char *stuck;			/* owned; the report about the hosts, or NULL */
	struct value *place;		/* owned; the members of the event "begin" */
	char *layout;			/* owned; or NULL */
	int64_t started_ns, fabric_ns;
	int64_t steps;
	bool begun;
	struct vbm_error unwritten;	/* code 0: every write has succeeded so far */
};

/* -EINVAL: there is no such format. Another error: the file of --html or --history cannot be made. */
int exec_report_open(struct exec_report *r, const struct exec_options *opts, struct vbm_error *err);

/* The place has started; @version is that of rdma-core. */
void exec_report_place(struct exec_report *r, const struct lane *lane, const char *version);
void exec_report_output(struct exec_report *r, size_t command, const char *data, size_t len);
void exec_report_exit(struct exec_report *r, size_t command, int status, bool ok);

/* Takes the events that reports know, and the stuck report. */
void exec_report_event(struct exec_report *r, const struct value *event);

/*
 * The verdict and the end; @why is an owned text, or NULL. Returns a negative errno with
 * @err if a report could not be written. A second call does nothing.
 */
int exec_report_end(struct exec_report *r, enum exec_end end, const char *why, int status,
		    struct vbm_error *err);

#endif
