/* SPDX-License-Identifier: BSD-2-Clause */
#include "litmus/histogram.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"

void histogram_note(struct histogram *h, const char *text)
{
	int i;

	for (i = 0; i < h->count && strcmp(h->text[i], text); i++)
		;
	if (i == HISTOGRAM_OUTCOMES) {
		h->others++;
		return;
	}
	if (i == h->count)
		snprintf(h->text[h->count++], HISTOGRAM_TEXT, "%s", text);
	h->times[i]++;
}

char *histogram_show(const struct histogram *h)
{
	bool shown[HISTOGRAM_OUTCOMES] = {false};
	struct text out = {0};
	int i, most, n;

	for (n = 0; n < h->count; n++) {
		for (most = -1, i = 0; i < h->count; i++)
			if (!shown[i] && (most < 0 || h->times[i] > h->times[most]))
				most = i;
		text_addf(&out, "%s%s: %d", n ? "; " : "", h->text[most], h->times[most]);
		shown[most] = true;
	}
	if (h->others)
		text_addf(&out, "; others: %d", h->others);
	return out.s ? out.s : xstrdup("");
}
