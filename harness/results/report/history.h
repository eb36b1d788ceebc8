/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_HISTORY_H
#define VBM_REPORT_HISTORY_H

#include <verbatim/error.h>

struct value;
struct history;

/*
 * Appends a line about a run to the file of --history: the summary with a row for each variant, the
 * texts of errors, and the time of its end ("ended", UTC). A run that is broken off adds its line, too.
 */
int history_open(struct history **out, const char *path, struct vbm_error *err);

/* The first error (for example a full disk) stays. */
int history_event(struct history *h, const struct value *event, struct vbm_error *err);
void history_close(struct history *h);	/* NULL is fine */

#endif
