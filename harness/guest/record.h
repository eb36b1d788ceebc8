/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_RECORD_H
#define VBM_GUEST_RECORD_H

#include <verbatim/error.h>

/*
 * What the files of a folder in the cache were when they were put there: a line
 * "DIGEST SIZE NAME" for each in its file "digests". A folder that was made before
 * there were such lines gets them at its first use.
 */
enum record {
	RECORD_NONE,	/* nothing is known of it */
	RECORD_SAME,
	RECORD_DIFFERS,
};

/* An enum record, or a negative errno when the file cannot be read; @err says why not. */
int record_compare(const char *dir, const char *name, struct vbm_error *err);

/* Where nothing can be written, nothing is recorded. */
void record_keep(const char *dir, const char *name);

#endif
