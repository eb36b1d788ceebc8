/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lane/lane.c lane/capacity.c lane/processor.c lane/boot.c */
#include "cmocka_all.h"

#include <sched.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "lane/capacity.h"
#include "lane/lane.h"
#include "lane/processor.h"
#include "lane/boot.h"

TEST(test_lane__capacity__is_what_is_scarcer)
{
	assert_int_equal(capacity_of(2, 24000, 768), 2);
	assert_int_equal(capacity_of(64, 8000, 768), 10);
	assert_int_equal(capacity_of(64, 700, 768), 1);
	assert_int_equal(capacity_of(3, INT64_MAX, 768), 3);
	assert_int_equal(lane_capacity(&lane_native, &(struct lane_options){0}), 1);
	assert_true(lane_capacity(&lane_guest, &(struct lane_options){0}) >= 1);
}

TEST(test_lane__capacity__reads_what_the_kernel_says)
{
	assert_int_equal(capacity_available_mb("MemTotal: 24684540 kB\nMemFree: 1 kB\n"
					       "MemAvailable:    4096000 kB\n"), 4000);
	assert_int_equal(capacity_available_mb("MemTotal: 24684540 kB\n"), INT64_MAX);
	assert_int_equal(capacity_limit_mb("2147483648\n"), 2048);
	assert_int_equal(capacity_limit_mb("max\n"), INT64_MAX);
	assert_int_equal(capacity_quota("max 100000\n"), INT64_MAX);
	assert_int_equal(capacity_quota("150000 100000\n"), 2);
	assert_int_equal(capacity_quota("50000 100000\n"), 1);
}

static int only_one(const cpu_set_t *set)
{
	int i, found = -1;

	assert_int_equal(CPU_COUNT(set), 1);
	for (i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, set))
			found = i;
	return found;
}

TEST(test_lane__processor__places_take_them_in_turn)
{
	static const int want[] = {4, 9, 2, 4, 9};
	cpu_set_t all, one;
	size_t i;

	CPU_ZERO(&all);
	processor_nth(&all, 0, 0, &one);
	assert_int_equal(CPU_COUNT(&one), 0);
	CPU_SET(2, &all);
	CPU_SET(4, &all);
	CPU_SET(9, &all);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		processor_nth(&all, 4, (int)i, &one);
		assert_int_equal(only_one(&one), want[i]);
	}
	processor_nth(&all, 3, 0, &one);
	assert_int_equal(only_one(&one), 4);
	processor_nth(&all, -1, 0, &one);
	assert_int_equal(CPU_COUNT(&one), 0);
}

TEST(test_lane__processor__two_places_take_two)
{
	cpu_set_t all, one, other;
	int first = processor_take(0, &one), second = processor_take(0, &other);

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	assert_true(CPU_ISSET(only_one(&one), &all));
	assert_true(CPU_ISSET(only_one(&other), &all));
	/* Other runs of this machine may use the rest. */
	if (first >= 0 && second >= 0)
		assert_int_not_equal(only_one(&one), only_one(&other));
	if (first >= 0)
		close(first);
	if (second >= 0)
		close(second);
}

/* The kernel's figures for a process at one look, and the time that the deadline gains. */
struct look {
	int64_t at, cpu, queued;
	bool ready;
	int64_t more;
};

static void check_looks(const struct look *look, size_t count)
{
	struct starved s = {0};
	size_t i;

	for (i = 0; i < count; i++) {
		struct process_times now = {
			look[i].at, look[i].cpu, look[i].queued, look[i].ready,
		};

		assert_int_equal(starved_more(&s, &now), look[i].more);
	}
}

TEST(test_lane__starved__a_wait_that_is_not_over_counts)
{
	static const struct look never_ran[] = {{100, 0, 0, true, 100}, {200, 0, 0, true, 100}};
	static const struct look still_waits[] = {
		{100, 10, 60, true, 90}, {200, 10, 60, true, 100}, {250, 10, 60, true, 50},
	};

	check_looks(never_ran, ARRAY_SIZE(never_ran));
	check_looks(still_waits, ARRAY_SIZE(still_waits));
}

TEST(test_lane__starved__no_wait_counts_twice)
{
	static const struct look over[] = {
		{100, 10, 0, true, 90}, {200, 15, 140, true, 95}, {300, 20, 190, false, 5},
	};
	static const struct look slept_before[] = {{100, 10, 0, true, 90}, {200, 10, 50, false, 0}};

	check_looks(over, ARRAY_SIZE(over));
	check_looks(slept_before, ARRAY_SIZE(slept_before));
}

TEST(test_lane__starved__who_sleeps_or_works_does_not_wait)
{
	static const struct look sleeps[] = {{100, 5, 0, false, 0}, {200, 5, 0, false, 0}};
	static const struct look works[] = {{100, 100, 0, true, 0}, {200, 350, 0, true, 0}};

	check_looks(sleeps, ARRAY_SIZE(sleeps));
	check_looks(works, ARRAY_SIZE(works));
}
