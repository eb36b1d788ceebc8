/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_EXCEPTIONS_H
#define VBM_EXPLORE_EXCEPTIONS_H

#include <verbatim/error.h>

#include "catalogue/finding.h"

/*
 * Picks the exceptions of @wanted (bits of enum model_exception) whose finding is in @list with
 * conditions that hold for @facts: a stack without the bug has no exception. Pure.
 */
unsigned exceptions_that_hold(unsigned wanted, const struct findings *list, const struct facts *facts);

/* The same with the findings of the suite that comes with the program. 0, or a negative errno. */
int exceptions_settle(unsigned *exceptions, const struct facts *facts, struct vbm_error *err);

#endif
