/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/left-files.h"

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "page/page.h"
#include "report/history.h"
#include "report/output.h"
#include "run/run.h"

static int open_html(struct left_files *l, const struct run_options *opts, struct vbm_error *err)
{
	if (page_file_open(&l->html, opts->html, err) < 0)
		return -err->code;
	l->page = page_new(NULL);
	if (opts->history)
		page_history(l->page, opts->history);
	return 0;
}

int left_files_open(struct left_files *l, const struct run_options *opts, struct vbm_error *err)
{
	*l = (struct left_files){0};
	if ((opts->output && output_open(&l->output, opts->output, err) < 0) ||
	    (opts->html && open_html(l, opts, err) < 0) ||
	    (opts->history && history_open(&l->history, opts->history, err) < 0)) {
		left_files_close(l, NULL);
		return -err->code;
	}
	return 0;
}

/* One file that fails is no reason to lose the others; the first failure is told. */
static bool note_failure(struct left_files *l, int rc, const struct vbm_error *err)
{
	if (rc < 0 && !l->failed.code)
		l->failed = *err;
	return rc < 0;
}

void left_files_event(struct left_files *l, struct event_line *line)
{
	const struct value *event = line->event;
	struct vbm_error err = {0};

	if (l->page)
		page_event(l->page, event);
	if (l->output)
		note_failure(l, output_event(l->output, line, &err), &err);
	if (l->history)
		note_failure(l, history_event(l->history, event, &err), &err);
}

int left_files_close(struct left_files *l, struct vbm_error *err)
{
	struct vbm_error now = {0};
	int rc;

	if (l->output)
		note_failure(l, output_close(l->output, &now), &now);
	history_close(l->history);
	note_failure(l, page_file_close(&l->html, err ? l->page : NULL, &now), &now);
	page_free(l->page);
	rc = -l->failed.code;
	if (rc < 0 && err)
		*err = l->failed;
	*l = (struct left_files){0};
	return rc;
}
