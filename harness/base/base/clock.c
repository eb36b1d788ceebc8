/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/clock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LATE_MS 50	/* a machine that is not overloaded never wakes a process so late */
#define TURN_MS 250	/* the time for all other processes to run */

static int factor = 1;

int64_t clock_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void clock_set_factor(int f)
{
	factor = f > 0 ? f : 1;
}

int clock_factor(void)
{
	return factor;
}

/* The number in VERBATIM_FACTOR; 1 if it is not set, 0 if it is not a valid number. */
static int factor_told(void)
{
	const char *text = getenv("VERBATIM_FACTOR");
	size_t n = text ? strspn(text, "0123456789") : 0;
	int told;

	if (!text || !*text)
		return 1;
	told = n && n <= 4 && !text[n] ? (int)strtol(text, NULL, 10) : 0;
	return told <= CLOCK_FACTOR_MAX ? told : 0;
}

int clock_factor_for(int least)
{
	int told = factor_told();

	return told > least ? told : least;
}

bool clock_factor_is_sound(void)
{
	return factor_told() > 0;
}

int64_t clock_span_ns(int ms)
{
	return (int64_t)ms * factor * 1000000;
}

int64_t clock_deadline_ms(int ms)
{
	return clock_now_ns() + clock_span_ns(ms);
}

int clock_left_ms(int64_t deadline_ns)
{
	int64_t left = deadline_ns - clock_now_ns();

	if (left <= 0)
		return 0;
	left = (left + 999999) / 1000000;
	return left > INT_MAX ? INT_MAX : (int)left;
}

bool clock_stood_still(int64_t *deadline_ns)
{
	if (clock_now_ns() - *deadline_ns < clock_span_ns(LATE_MS))
		return false;
	*deadline_ns = clock_deadline_ms(TURN_MS);
	return true;
}
