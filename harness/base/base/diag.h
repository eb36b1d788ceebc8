/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_DIAG_H
#define VBM_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/value.h"

/* A mistake in a file. */
struct diagnostic {
	struct pos pos;
	char *message;		/* owned */
	char *hint;		/* owned; "did you mean 'qp_type'?", or NULL */
	char *file;		/* owned; the fragment of @pos, or NULL */
	struct pos use;		/* where the scenario uses that fragment */
	char *within;		/* owned; the step of a fragment that uses the wrong value,
				 * which the scenario gave: "qps.yaml:12", or NULL */
};

struct diagnostics {
	struct diagnostic *item;	/* errors */
	size_t count;
	struct diagnostic *warning;	/* valid, but probably not meant */
	size_t warning_count;
	size_t said;			/* number of errors, including those that were not stored */
	bool references;		/* a reference is accepted, because its value is not known yet */
	char **files;			/* owned; pos.file is an index into it, from 1 */
	int file_count;
	struct pos use;			/* of the present fragment */
	const char *within;		/* the present fragment's file, or NULL; borrowed */
	struct pos within_pos;		/* the step in that file */
};

/* Add a file that positions refer to. Returns its number. */
int diag_add_file(struct diagnostics *d, const char *path);

void diagnostics_fini(struct diagnostics *d);

/* "file:line:col: error: message (hint)" lines, owned by the caller. */
char *diagnostics_format(const struct diagnostics *d, const char *path);

/* The most errors of a file that are stored and printed. */
#define DIAGNOSTICS_MAX 64

/* Add an error. Takes @hint (may be NULL). An error that is there already is not added again. */
void diag_add(struct diagnostics *d, struct pos pos, char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void diag_warn(struct diagnostics *d, struct pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "did you mean 'NAME'?" for diag_add(), or NULL for a NULL @name. */
char *diag_did_you_mean(const char *name);

/* Whether @v is a reference and references are accepted. */
bool diag_spares(const struct diagnostics *d, const struct value *v);

/* Sort by position, stable, each error once. */
void diagnostics_sort(struct diagnostics *d);

/* Make the first error a struct vbm_error: "line 3: ..."; for callers that can show only one. */
int diagnostics_fail(const struct diagnostics *d, struct vbm_error *err);

#define auto_diagnostics __attribute__((cleanup(diagnostics_fini)))

#endif
