/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/starved.h"

#include "base/clock.h"

void starved_begin(struct starved *s)
{
	*s = (struct starved){.last = {.at_ns = clock_now_ns()}};
}

int64_t starved_more(struct starved *s, const struct process_times *now)
{
	const struct process_times *last = &s->last;
	int64_t had = now->cpu_ns - last->cpu_ns, counted = now->queued_ns - last->queued_ns;
	int64_t open = s->open_ns + (now->at_ns - last->at_ns) - had - counted;
	int64_t more;

	s->open_ns = now->ready && open > 0 ? open : 0;
	s->last = *now;
	more = now->queued_ns + s->open_ns - s->told_ns;
	if (more <= 0)
		return 0;
	s->told_ns += more;
	return more;
}
