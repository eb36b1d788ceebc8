/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/base/thread.c */
#include "cmocka_all.h"

#include <signal.h>

#include "lib/base/thread.h"

static void *keep_mask(void *mask)
{
	pthread_sigmask(SIG_SETMASK, NULL, mask);
	return NULL;
}

TEST(test_thread_start__signals_are_for_the_program)
{
	sigset_t before, after, in_thread;
	pthread_t thread;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(vbm_thread_start(&thread, keep_mask, &in_thread), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	/* Signals from 32 to SIGRTMIN belong to the C library, which never blocks them. */
	for (int s = 1; s < 32; s++) {
		if (s != SIGKILL && s != SIGSTOP)
			assert_int_equal(sigismember(&in_thread, s), 1);
		assert_int_equal(sigismember(&after, s), sigismember(&before, s));
	}
}
