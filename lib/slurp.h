/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_SLURP_H
#define VBM_LIB_SLURP_H

#include <stddef.h>

/*
 * Read a whole text file of at most 64 MiB. *@text is terminated and owned by
 * the caller. 0 or a negative errno.
 */
int vbm_slurp(const char *path, char **text, size_t *len);

/*
 * The next field of a line, white space around it:
 * *@at moves behind it. NULL at the line's end. *@len is its length.
 */
const char *vbm_text_field(const char **at, const char *end, size_t *len);

/*
 * The end of the line that begins at @at, without its comment; *@next is where
 * the next line begins.
 */
const char *vbm_text_line(const char *at, const char *end, const char **next);

#endif
