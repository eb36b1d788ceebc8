/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SCENARIO_DIAG_H
#define VBM_SCENARIO_DIAG_H

#include "scenario/scenario.h"

/* A file that is wrong everywhere is not worth more lines than this. */
#define DIAGNOSTICS_MAX 64

/* Takes @hint (may be NULL). */
void diag_add(struct diagnostics *d, struct pos pos, char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* "did you mean 'NAME'?" for diag_add(), or NULL for a NULL @name. */
char *diag_did_you_mean(const char *name);

/* By position, stable, each error once. */
void diagnostics_sort(struct diagnostics *d);

/* The first one as an error: "line 3: ..."; for those who cannot show more. */
int diagnostics_fail(const struct diagnostics *d, struct vbm_error *err);

#endif
