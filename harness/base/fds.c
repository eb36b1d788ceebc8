/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/fds.h"

#include <unistd.h>

/* The lowest of @keep from @low on, or -1. */
static int lowest(const int *keep, size_t count, int low)
{
	int best = -1;
	size_t i;

	for (i = 0; i < count; i++)
		if (keep[i] >= low && (best < 0 || keep[i] < best))
			best = keep[i];
	return best;
}

void fds_close_others(const int *keep, size_t count)
{
	int low = 3, next;

	for (; (next = lowest(keep, count, low)) >= 0; low = next + 1)
		if (next > low)
			close_range((unsigned int)low, (unsigned int)next - 1, 0);
	close_range((unsigned int)low, ~0U, 0);
}
