/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/cut.h"

#include <string.h>

#include "base/text.h"

void report_cut(struct text *out, const char *words, size_t width)
{
	size_t i, n = 0;

	if (!width || strlen(words) <= width) {
		text_add(out, words);
		return;
	}
	for (i = width / 2; i + 5 <= width; i++)
		if (words[i] == ',' && words[i + 1] == ' ')
			n = i + 2;
	if (!n)
		n = width - 3;
	while (n && (words[n] & 0xc0) == 0x80)
		n--;
	text_add_bytes(out, words, n);
	text_add(out, "...");
}
