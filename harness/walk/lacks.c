/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk/lacks.h"

static bool lacks_zero_based(const struct walk_hosts *w)
{
	const struct walk_host *h = &w->host[0];
	struct ibv_mr *mr = w->target->reg_mr(h->pd[0], h->memory, MODEL_BLOCK, IBV_ACCESS_ZERO_BASED);

	if (mr)
		w->target->dereg_mr(mr);
	return !mr;
}

static bool (*const lacks[LACK_COUNT])(const struct walk_hosts *w) = {
	[LACK_ZERO_BASED] = lacks_zero_based,
};

unsigned walk_lacks(const struct walk_hosts *w)
{
	unsigned bits = 0;
	int i;

	for (i = 0; i < LACK_COUNT; i++)
		bits |= (unsigned)lacks[i](w) << i;
	return bits;
}
