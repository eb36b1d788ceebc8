/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/statement.h"

#include <ctype.h>

static size_t digits(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && isdigit((unsigned char)s[n]))
		n++;
	return n;
}

size_t statement_chapter(const char *number, size_t len)
{
	size_t annex, chapter, i;

	if (len < 2 || (number[0] != 'C' && number[0] != 'o'))
		return 0;
	annex = number[1] == 'A';
	chapter = digits(number + 1 + annex, len - 1 - annex);
	i = 1 + annex + chapter;
	if (!chapter || len - i < 2 || number[i] != '-' || !isdigit((unsigned char)number[i + 1]))
		return 0;
	for (i++; i < len; i++)
		if (!isalnum((unsigned char)number[i]) && number[i] != '.')
			return 0;
	return annex + chapter;
}
