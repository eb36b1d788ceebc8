/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/shrink.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

/* Goes through @s and leaves out each @chunk of operations without which it still fails. 1: @s is shorter now. -1: stop. */
static int leave_out(struct sequence *s, size_t chunk, struct model_stack stack, shrink_try *try, void *arg)
{
	auto_free struct sequence *candidate = xcalloc(SHRINK_MAX, sizeof(*candidate));
	size_t from = 0, n;
	int best, shorter = 0;

	while (from < s->count && s->count > 1) {
		for (n = 0; n < SHRINK_MAX && from + n * chunk < s->count; n++)
			sequence_cut(&candidate[n], s, from + n * chunk, chunk, stack);
		best = try(arg, candidate, n);
		if (best < -1)
			return -1;
		if (best >= 0) {
			/* What stands before this chunk was tried already. */
			*s = candidate[best];
			shorter = 1;
			n = (size_t)best;
		}
		from += n * chunk;
	}
	return shorter;
}

void shrink(struct sequence *s, struct model_stack stack, shrink_try *try, void *arg)
{
	size_t chunk = (s->count + 1) / 2;
	int shorter;

	while (chunk && s->count > 1) {
		shorter = leave_out(s, chunk, stack, try, arg);
		if (shorter < 0)
			return;
		if (!shorter || chunk > 1)
			chunk /= 2;
	}
}
