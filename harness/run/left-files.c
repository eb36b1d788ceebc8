/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/left-files.h"

#include <stddef.h>

#include "report/history.h"
#include "report/output.h"
#include "run/run.h"

int left_files_open(struct left_files *l, const struct run_options *opts, struct vbm_error *err)
{
	*l = (struct left_files){0};
	if ((opts->output && output_open(&l->output, opts->output, err) < 0) ||
	    (opts->history && history_open(&l->history, opts->history, err) < 0)) {
		left_files_close(l, NULL);
		return -err->code;
	}
	return 0;
}

void left_files_event(struct left_files *l, const struct value *event, struct vbm_error *err)
{
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
	*l = (struct left_files){0};
}
