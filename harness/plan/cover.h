/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_COVER_H
#define VBM_PLAN_COVER_H

#include <stdbool.h>

#include "base/value.h"

/*
 * Whether each value of a field meets one of the @count expectations: literals and
 * {any: true}, {not: V}, {min: N, max: N}. Others count as such that take nothing.
 */
bool cover_all(struct value *const *expectation, size_t count);

#endif
