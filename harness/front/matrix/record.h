/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MATRIX_RECORD_H
#define VBM_MATRIX_RECORD_H

#include "matrix/results.h"

struct findings;
struct text;

/*
 * Adds the lines that verbatim findings reads (findings/seen.h): the cells that ran, and for
 * each finding the cells in which a variant showed it ("in"), and those in which all that
 * would show it every time passed ("not_in"). Pure.
 */
void matrix_record(struct text *t, const struct results *r, const struct findings *findings);

#endif
