/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_MATCH_H
#define VBM_BASE_MATCH_H

#include <stdbool.h>

/*
 * Whether @pattern matches @name, an id or a variant's name. '*' matches any characters,
 * '?' one, and every other character only itself. Brackets are part of the names of
 * variants, so "x[ip=4]" matches only that variant. Filters and findings use these
 * patterns.
 */
bool match_name(const char *pattern, const char *name);

/* Whether @words, which are separated by one space each, have @word. */
bool match_word(const char *words, const char *word);

#endif
