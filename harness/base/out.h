/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_OUT_H
#define VBM_BASE_OUT_H

#include <stdbool.h>

/*
 * Standard output. stdio(3) forgets why a write failed; this does not, so that the
 * error which is told at the end is the one that was.
 */
void out_begin(void);	/* once, before anything is printed */

/* Why the first write failed that did; 0: none. Flushes first. */
int out_error(void);

/* The user has been told of it: whoever ends the program need not. */
void out_error_told(void);

/*
 * Flushes, and complains once where not all could be written. Whether that is so,
 * told or not.
 */
bool out_end(void);

#endif
