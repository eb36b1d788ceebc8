/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_EXPECT_H
#define VBM_COMPILE_EXPECT_H

#include <stdbool.h>

struct value;

/* The plain word "any": the field has to be there, whatever its value. */
bool expect_is_any(const struct value *v);

#endif
