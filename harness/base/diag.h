/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_DIAG_H
#define VBM_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/value.h"

/* What is wrong with a file. */
struct diagnostic {
	struct pos pos;
	char *message;		/* owned */
	char *hint;		/* owned; "did you mean 'qp_type'?", or NULL */
	char *file;		/* owned; the fragment that @pos is in, or NULL */
	struct pos use;		/* where the scenario uses that fragment */
	char *within;		/* owned; the step of a fragment that takes a value of the
				 * scenario's own: "qps.yaml:12", or NULL */
};

struct diagnostics {
	struct diagnostic *item;	/* errors */
	size_t count;
	struct diagnostic *warning;	/* what is odd, and valid all the same */
	size_t warning_count;
	size_t said;			/* errors, those that were not kept too */
	bool references;		/* a reference passes: its value is not known yet */
	char **files;			/* owned; pos.file counts them from 1 */
	int file_count;
	struct pos use;			/* of the fragment that is being read */
	const char *within;		/* its file, or NULL; borrowed */
	struct pos within_pos;		/* the step there */
};

/* A further file that positions speak of: its number. */
int diag_add_file(struct diagnostics *d, const char *path);

void diagnostics_fini(struct diagnostics *d);

/* "file:line:col: error: message (hint)" lines, owned by the caller. */
char *diagnostics_format(const struct diagnostics *d, const char *path);

/* A file that is wrong everywhere is not worth more lines than this. */
#define DIAGNOSTICS_MAX 64

/* Takes @hint (may be NULL). What was said before is not said again. */
void diag_add(struct diagnostics *d, struct pos pos, char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void diag_warn(struct diagnostics *d, struct pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "did you mean 'NAME'?" for diag_add(), or NULL for a NULL @name. */
char *diag_did_you_mean(const char *name);

/* @v is a reference, and these pass. */
bool diag_spares(const struct diagnostics *d, const struct value *v);

/* By position, stable, each error once. */
void diagnostics_sort(struct diagnostics *d);

/* The first one as an error: "line 3: ..."; for those who cannot show more. */
int diagnostics_fail(const struct diagnostics *d, struct vbm_error *err);

#define auto_diagnostics __attribute__((cleanup(diagnostics_fini)))

#endif
