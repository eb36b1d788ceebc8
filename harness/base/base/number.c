/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/number.h"

#include <string.h>

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

/* Counts downwards, because the smallest number has no positive counterpart. */
bool number_part(const char *s, size_t len, int64_t min, int64_t max, int64_t *out)
{
	size_t i = len && s[0] == '-';
	bool negative = i;
	int64_t n = 0;

	if (i == len)
		return false;
	for (; i < len; i++)
		if (!is_digit(s[i]) || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_sub_overflow(n, s[i] - '0', &n))
			return false;
	if (!negative && __builtin_sub_overflow(0, n, &n))
		return false;
	if (n < min || n > max)
		return false;
	*out = n;
	return true;
}

bool number_read(const char *s, int64_t min, int64_t max, int64_t *out)
{
	return s && number_part(s, strlen(s), min, max, out);
}

int64_t number_begin(const char *s, const char **end)
{
	int64_t n = 0;

	for (; is_digit(*s); s++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *s - '0', &n))
			n = INT64_MAX;
	*end = s;
	return n;
}
