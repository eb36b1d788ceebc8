/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_LEFT_FILES_H
#define VBM_RUN_LEFT_FILES_H

#include <verbatim/error.h>

#include "page/page.h"

struct event_line;
struct run_options;
struct output;
struct history;

/* The files that a run leaves beside its report. Each is NULL without its option. */
struct left_files {
	struct output *output;		/* owned; --output */
	struct history *history;	/* owned; --history */
	struct page *page;		/* owned; --html */
	struct page_file html;
	struct vbm_error failed;	/* the first failure; the other files are written all the same */
};

int left_files_open(struct left_files *l, const struct run_options *opts, struct vbm_error *err);

void left_files_event(struct left_files *l, struct event_line *line);

/* Writes the page. 0 or the first failure of all files; @err NULL: only removes what opening made. */
int left_files_close(struct left_files *l, struct vbm_error *err);

#endif
