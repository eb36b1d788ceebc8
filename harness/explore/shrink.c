/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/shrink.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

/* Tries all ways to leave out @chunk operations that follow each other. True: @s is shorter now. */
static int leave_out(struct sequence *s, size_t chunk, unsigned exceptions, shrink_try *try, void *arg)
{
	auto_free struct sequence *candidate = xcalloc(SHRINK_MAX, sizeof(*candidate));
	size_t from = 0, n;
	int best;

	while (from < s->count) {
		for (n = 0; n < SHRINK_MAX && from < s->count; from += chunk, n++)
			sequence_cut(&candidate[n], s, from, chunk, exceptions);
		best = try(arg, candidate, n);
		if (best >= 0) {
			*s = candidate[best];
			return 1;
		}
		if (best < -1)
			return -1;
	}
	return 0;
}

void shrink(struct sequence *s, unsigned exceptions, shrink_try *try, void *arg)
{
	size_t chunk = (s->count + 1) / 2;
	int shorter;

	while (chunk && s->count > 1) {
		shorter = leave_out(s, chunk, exceptions, try, arg);
		if (shorter < 0)
			return;
		if (!shorter)
			chunk /= 2;
		else if (chunk > s->count / 2 && chunk > 1)
			chunk = (s->count + 1) / 2;
	}
}
