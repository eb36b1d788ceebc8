/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_NUMBER_H
#define VBM_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The first @len bytes of @s as a decimal number from @min to @max: digits, and
 * "-" before them. False, and *@out as it was, for anything else.
 */
bool number_part(const char *s, size_t len, int64_t min, int64_t max, int64_t *out);

/* The same for all of @s; NULL is no number. */
bool number_read(const char *s, int64_t min, int64_t max, int64_t *out);

/* The digits that @s begins with, and *@end after them; INT64_MAX where they are more. */
int64_t number_begin(const char *s, const char **end);

#endif
