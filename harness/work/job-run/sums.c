/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/sums.h"

#include "base/xalloc.h"

char *sums_mistake(const struct packet_sums *s, const char *name)
{
	if ((int64_t)s->sent - s->taken + s->again == (int64_t)s->received)
		return NULL;
	return xasprintf("the packets do not add up: %llu were sent to host %s, rules took %lld away and put %lld back, and %llu "
			 "arrived", (unsigned long long)s->sent, name, (long long)s->taken, (long long)s->again,
			 (unsigned long long)s->received);
}
