/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_DIAG_H
#define VBM_BASE_DIAG_H

#include <stddef.h>

#include <verbatim/error.h>

#include "base/value.h"

/* What is wrong with a file: one for each error, in order of position. */
struct diagnostic {
	struct pos pos;
	char *message;		/* owned */
	char *hint;		/* owned; "did you mean 'qp_type'?", or NULL */
};

struct diagnostics {
	struct diagnostic *item;
	size_t count;
};

void diagnostics_fini(struct diagnostics *d);

/* "file:line:col: error: message (hint)" lines, owned by the caller. */
char *diagnostics_format(const struct diagnostics *d, const char *path);

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
