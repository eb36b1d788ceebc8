/* SPDX-License-Identifier: BSD-2-Clause */
/* A page whose variants are not those that the run counted has lost or invented some. */
#include "page/page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/value.h"
#include "event/read.h"

/* The rows with @verdict; VERDICT_COUNT: all. */
static int64_t count_of(const struct value *rows, enum verdict verdict)
{
	enum verdict v;
	int64_t n = 0;
	size_t i;

	for (i = 0; i < rows->list.count; i++) {
		if (verdict_parse(value_get_string(rows->list.item[i], "verdict", ""), &v) < 0)
			v = VERDICT_COUNT;
		n += verdict == VERDICT_COUNT || v == verdict;
	}
	return n;
}

static void compare(struct text *out, const char *what, int64_t here, int64_t there)
{
	if (here != there)
		text_addf(out, "%s%" PRId64 " %s, and %" PRId64 " in the run's own sums", out->len ? "; " : "", here, what,
			  there);
}

char *page_sums_disagree(const struct value *rows, const struct value *summary)
{
	const struct value *counts = event_map(summary, "counts");
	struct text out = {0};
	int i;

	for (i = 0; i < VERDICT_COUNT; i++)
		compare(&out, verdict_name((enum verdict)i), count_of(rows, (enum verdict)i),
			value_get_int(counts, verdict_name((enum verdict)i), 0));
	compare(&out, "variants", count_of(rows, VERDICT_COUNT), event_integer(summary, "total"));
	return out.s;
}
