/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_COVER_H
#define VBM_PLAN_COVER_H

#include <stdbool.h>

#include "base/value.h"

/*
 * Whether every value of a field matches one of the @count expectations: literals,
 * {any: true}, {not: V} and {min: N, max: N}. Other expectations count as if they
 * matched nothing.
 */
bool cover_all(struct value *const *expectation, size_t count);

#endif
