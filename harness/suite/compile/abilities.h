/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_ABILITIES_H
#define VBM_COMPILE_ABILITIES_H

#include <stddef.h>

#include "base/value.h"

/*
 * The next ability of the device that a step with these arguments needs; NULL: no further one.
 * *@next is 0 before the first call. Pure.
 */
const char *abilities_of_step(const char *step, const struct value *args, size_t *next);

#endif
