/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/tsc.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#if defined(__x86_64__) || defined(__i386__)

#include <x86intrin.h>

#define SPAN_MS 10
#define TRIES 1000
#define APART_MAX 20000		/* counts between two readings with nothing in between */

struct tsc_reading {
	uint64_t count;
	int64_t ns;
};

/*
 * Reads the counter and the clock at the same time; returns false if an interrupt came in
 * between.
 */
static bool read_both(struct tsc_reading *r)
{
	uint64_t after;
	int i;

	for (i = 0; i < TRIES; i++) {
		r->count = __rdtsc();
		r->ns = clock_now_ns();
		after = __rdtsc();
		if (after - r->count < APART_MAX)
			return true;
	}
	return false;
}

long tsc_khz(void)
{
	struct tsc_reading from, to;

	if (!read_both(&from))
		return 0;
	poll(NULL, 0, SPAN_MS);
	if (!read_both(&to) || to.count <= from.count || to.ns <= from.ns)
		return 0;
	return (long)((double)(to.count - from.count) * 1e6 / (double)(to.ns - from.ns));
}

#else

long tsc_khz(void)
{
	return 0;
}

#endif
