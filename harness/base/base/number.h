/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_NUMBER_H
#define VBM_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Read the first @len bytes of @s as a decimal number from @min to @max: digits, with an
 * optional "-" before them. For any other text: false, and *@out is unchanged.
 */
bool number_part(const char *s, size_t len, int64_t min, int64_t max, int64_t *out);

/* The same for all of @s. NULL is not a number. */
bool number_read(const char *s, int64_t min, int64_t max, int64_t *out);

/* The number in the leading digits of @s; *@end points behind them. INT64_MAX if it is larger. */
int64_t number_begin(const char *s, const char **end);

#endif
