/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_TARGETS_H
#define VBM_NAMES_TARGETS_H

#include <stddef.h>

/* The targets that have names; all others are paths. NULL behind the last one. */
const char *target_name(size_t i);

#endif
