/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/tolerance.h"

#include <errno.h>
#include <string.h>
#include <sys/param.h>

#include "base/xalloc.h"
#include "base/value.h"
#include "lib/base/fail.h"

/* The times that the codes of the RNR NAK timer field stand for (InfiniBand, volume 1), in 10 us. */
static const uint32_t rnr_10us[TOLERANCE_CODE_MAX + 1] = {
	65536, 1,    2,	   3,	 4,    6,    8,	   12,	  16,	 24,	32,
	48,    64,   96,   128,	 192,  256,  384,  512,	  768,	 1024,	1536,
	2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static int64_t ack_least_ns(int64_t code)
{
	return INT64_C(4096) << code;
}

static int64_t ack_most_ns(int64_t code)
{
	return 4 * ack_least_ns(code);
}

static int64_t rnr_ns(int64_t code)
{
	return (int64_t)rnr_10us[code] * 10000;
}

static const struct {
	const char *name;
	int first;	/* the first code with a finite time */
	int64_t (*least_ns)(int64_t code);
	int64_t (*most_ns)(int64_t code);
} timers[] = {
	[TOLERANCE_ACK_TIMEOUT] = {"ack_timeout", 1, ack_least_ns, ack_most_ns},
	[TOLERANCE_RNR_TIMER] = {"rnr_timer", 0, rnr_ns, rnr_ns},
};

bool tolerance_find(const char *name, enum tolerance_timer *timer)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(timers); i++) {
		if (strcmp(timers[i].name, name) == 0) {
			*timer = (enum tolerance_timer)i;
			return true;
		}
	}
	return false;
}

const char *tolerance_name(enum tolerance_timer timer)
{
	return timers[timer].name;
}

int tolerance_range(enum tolerance_timer timer, int64_t code, int64_t tries, int factor,
		    struct tolerance *out, struct vbm_error *err)
{
	if (code == 0 && timers[timer].first > 0)
		return vbm_fail(err, ERANGE, "%s: code 0 turns the timer off, so the wait does not end", timers[timer].name);
	if (code < 0 || code > TOLERANCE_CODE_MAX)
		return vbm_fail(err, ERANGE, "%s: %lld is not a code; codes are %d to %d", timers[timer].name,
				(long long)code, timers[timer].first, TOLERANCE_CODE_MAX);
	if (tries < 1 || tries > TOLERANCE_TRIES_MAX)
		return vbm_fail(err, ERANGE, "tries: %lld is not within 1 and %d", (long long)tries, TOLERANCE_TRIES_MAX);
	out->min_ms = tries * timers[timer].least_ns(code) / 1000000;
	if (factor > 1)
		out->min_ms -= MIN(TOLERANCE_TICK_MS, out->min_ms / 10);
	out->max_ms = (tries * timers[timer].most_ns(code) / 1000000 + TOLERANCE_SLACK_MS) * factor;
	return 0;
}

int tolerance_read(const struct value *v, int factor, struct tolerance *out,
		   struct vbm_error *err)
{
	int64_t tries = value_get_int(v, "tries", 0), code = -1;
	enum tolerance_timer timer = TOLERANCE_ACK_TIMEOUT;
	size_t i, named = 0;

	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++) {
		if (!tolerance_find(v->map.member[i].key, &timer))
			continue;
		code = value_get_int(v, v->map.member[i].key, -1);
		named++;
	}
	if (named != 1 || v->map.count != 2 || !value_get(v, "tries"))
		return vbm_fail(err, EINVAL, "'timers' takes {%s: CODE, tries: N} or {%s: CODE, tries: N}",
				tolerance_name(TOLERANCE_ACK_TIMEOUT),
				tolerance_name(TOLERANCE_RNR_TIMER));
	return tolerance_range(timer, code, tries, factor, out, err);
}
