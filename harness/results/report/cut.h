/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_CUT_H
#define VBM_REPORT_CUT_H

#include <stddef.h>

struct text;

/* Adds a text that is cut to @width (0: not cut), after a field if one ends in the second half; never inside a character. */
void report_cut(struct text *out, const char *words, size_t width);

#endif
