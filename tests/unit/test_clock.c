/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/clock.c call/step-util.c */
#include "cmocka_all.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "call/step-util.h"

#define SECOND_NS 1000000000

TEST(test_clock__wait_that_ended_in_time__is_not_longer)
{
	int64_t deadline = clock_now_ns(), before = deadline;

	assert_false(clock_stood_still(&deadline));
	assert_int_equal(deadline, before);
}

TEST(test_clock__wait_that_ended_late__is_a_little_longer)
{
	int64_t before = clock_now_ns(), deadline = before - SECOND_NS;

	assert_true(clock_stood_still(&deadline));
	assert_true(deadline > before && deadline < clock_now_ns() + SECOND_NS);
}

/*
 * The machine seems to pause after the wait began; the timer stands for the work of other
 * processes.
 */
TEST(test_wait_readable__after_a_stand_still__waits_for_others)
{
	const struct itimerspec soon = {.it_value.tv_nsec = SECOND_NS / 50};
	int64_t late = clock_now_ns() - SECOND_NS;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(step_wait_readable(&fd, 1, clock_now_ns()), -ETIMEDOUT);
	assert_int_equal(timerfd_settime(fd, 0, &soon, NULL), 0);
	assert_int_equal(step_wait_readable(&fd, 1, late), 0);
	close(fd);
}
