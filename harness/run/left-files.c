/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/left-files.h"

#include <stddef.h>

#include "page/page.h"
#include "report/history.h"
#include "report/output.h"
#include "run/run.h"

/* The most runs of the history that the page shows beside the new one. */
#define EARLIER_MAX 30

static void add_earlier(const struct stored_run *run, void *page)
{
	page_earlier(page, run);
}

static int open_html(struct left_files *l, const struct run_options *opts, struct vbm_error *err)
{
	if (page_file_open(&l->html, opts->html, err) < 0)
		return -err->code;
	l->page = page_new(NULL);
	if (opts->history)
		stored_history(opts->history, EARLIER_MAX, add_earlier, l->page);
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

void left_files_event(struct left_files *l, const struct value *event, struct vbm_error *err)
{
	if (l->page)
		page_event(l->page, event);
	if (l->output && !err->code)
		output_event(l->output, event, err);
	if (l->history && !err->code)
		history_event(l->history, event, err);
}

void left_files_close(struct left_files *l, struct vbm_error *err)
{
	if (l->output)
		output_close(l->output, err);
	history_close(l->history);
	page_file_close(&l->html, err ? l->page : NULL, err);
	page_free(l->page);
	*l = (struct left_files){0};
}
