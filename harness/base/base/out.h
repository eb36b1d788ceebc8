/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_OUT_H
#define VBM_BASE_OUT_H

#include <stdbool.h>

/*
 * Standard output. stdio(3) does not keep the errno of a failed write. This module keeps
 * the first one for the message at the end. A descriptor below 3 that the caller closed
 * stays unusable: no file that is opened later gets its number.
 */
void out_begin(void);	/* once, before anything is printed; ignores SIGPIPE */

/* The errno of the first failed write; 0: all writes succeeded. Flushes first. */
int out_error(void);

/* The user has got a message, so out_end() prints none. */
void out_error_told(void);

/*
 * Flush, and print a message once if something could not be written. Returns whether all was written. A reader who went
 * away (verbatim list | head) is no reason for a message, unless the caller ignores SIGPIPE.
 */
bool out_end(void);

/* The last call of the program: ends it by SIGPIPE, as the reader of other programs expects, if out_end() kept silent. */
void out_end_by_signal(void);

#endif
