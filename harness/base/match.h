/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_MATCH_H
#define VBM_BASE_MATCH_H

#include <stdbool.h>

/*
 * Whether @name, an id or a variant's name, is one of those that @pattern
 * means: '*' stands for any characters, '?' for one, and every other character
 * for itself. Brackets are part of the names of variants, so "x[ip=4]" means
 * that variant and no other. Filters and findings both mean names this way.
 */
bool name_matches(const char *pattern, const char *name);

#endif
