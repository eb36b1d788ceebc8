/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_RECORD_H
#define VBM_GUEST_RECORD_H

#include <verbatim/error.h>

/*
 * The digests of the files in a folder of the cache, from the time when they were put
 * there: its file "digests" has a line "xxh3 DIGEST SIZE NAME" for each. A folder without such
 * a file gets it at its first use.
 */
enum record {
	RECORD_NONE,	/* there is no record of the file */
	RECORD_SAME,
	RECORD_DIFFERS,
};

/* Returns an enum record, or a negative errno if the file cannot be read; @err says why. */
int record_compare(const char *dir, const char *name, struct vbm_error *err);

/* Records the file, if the folder can be written. */
void record_keep(const char *dir, const char *name);

#endif
