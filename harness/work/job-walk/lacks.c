/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-walk/lacks.h"

#include "base/match.h"

unsigned lacks_of_abilities(const char *can)
{
	unsigned bits = 0;
	size_t i;

	for (i = 0; model_lack_name(i); i++)
		if (i != LACK_ZERO_BASED && !match_word(can, model_lack_name(i)))
			bits |= 1u << i;
	return bits;
}

unsigned walk_lacks(const struct walk_hosts *w)
{
	const struct walk_host *h = &w->host[0];
	struct ibv_mr *mr = w->target->reg_mr(h->pd[0], h->memory, MODEL_BLOCK, IBV_ACCESS_ZERO_BASED);

	if (!mr)
		return 1u << LACK_ZERO_BASED;
	w->target->dereg_mr(mr);
	return 0;
}
