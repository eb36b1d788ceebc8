/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/mover.c lib/handshake/negotiation*.c lib/handshake/listener.c */
/* Calls of ibv_modify_qp(3) that take long, for peers whose GID may be any (foreign_gid). */
#include "cmocka_all.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

#include "negotiator-setup.h"

#define SLOW (MANY + 100)	/* the first of the servers' queue pairs whose call is slow */

static sem_t begun, go_on;

static void slow(const struct vbm_qp *qp)
{
	if (qp - qps < SLOW)
		return;
	sem_post(&begun);
	while (sem_wait(&go_on) && errno == EINTR)
		;
}

static int listen_to_any(void)
{
	struct vbm_listen_options any = {
		.size = sizeof(any), .handshake.foreign_gid = 1, .handshake.timeout_ms = PATIENCE_MS,
	};

	sem_init(&begun, 0, 0);
	sem_init(&go_on, 0, 0);
	slow_call = slow;
	return listen_at(AF_INET, &any);
}

/* While the negotiator works, until @count slow calls are under way. */
static void await_slow(int count)
{
	int some;

	while (count) {
		if (sem_trywait(&begun) == 0) {
			count--;
			continue;
		}
		vbm_negotiator_wait(n, got, 1, 1, &some);
		assert_int_equal(some, 0);
	}
}

static void connect_slowly(int listener, int first, int count)
{
	for (int i = first; i < first + count; i++) {
		assert_int_equal(vbm_negotiator_offer(n, listener, &qps[SLOW + i], NULL), 0);
		assert_int_equal(connect_with(&qps[i], WITH(.timeout_ms = PATIENCE_MS, .version = VBM_HANDSHAKE_ONLY_1)), 0);
	}
}

static void expect_good(int count)
{
	collect(count);
	for (int i = 0; i < count; i++)
		assert_int_equal(got[i].result, 0);
	close_all(count);
}

TEST_BOTH(test_slow__stalls_no_other)
{
	int listener = listen_to_any(), i;

	connect_slowly(listener, 0, 5);
	await_slow(5);
	for (i = 10; i < 13; i++) {
		vbm_negotiator_offer(n, listener, &qps[MANY + i], NULL);
		connect_with(&qps[i], WITH(.timeout_ms = PATIENCE_MS));
		expect_good(2);
	}
	for (i = 0; i < 5; i++)
		sem_post(&go_on);
	expect_good(10);
}

/* A client with foreign_gid does not stall its negotiator either. */
TEST_BOTH(test_slow__client)
{
	struct vbm_handshake_options any = *WITH(.foreign_gid = 1, .timeout_ms = PATIENCE_MS);
	int listener = listen_to_any();

	vbm_negotiator_offer(n, listener, &qps[MANY], NULL);
	assert_int_equal(connect_with(&qps[SLOW], &any), 0);
	await_slow(1);
	vbm_negotiator_offer(n, listener, &qps[MANY + 1], NULL);
	connect_with(&qps[1], &any);
	expect_good(2);
	sem_post(&go_on);
	expect_good(2);
}

/* More calls than there are threads. */
TEST_BOTH(test_slow__many)
{
	int listener = listen_to_any(), i;

	connect_slowly(listener, 0, MOVERS_MAX + 10);
	await_slow(MOVERS_MAX);
	for (i = 0; i < MOVERS_MAX + 10; i++)
		sem_post(&go_on);
	expect_good(2 * MOVERS_MAX + 20);
}

TEST_BOTH(test_slow__cancel)
{
	int listener = listen_to_any();

	connect_slowly(listener, 0, 1);
	await_slow(1);
	assert_int_equal(vbm_negotiator_cancel(n, &qps[SLOW]), 0);
	/* When this one is back, the cancel has been taken. */
	vbm_negotiator_offer(n, listener + 1, &qps[MANY], NULL);
	collect(1);
	assert_ptr_equal(got[0].qp, &qps[MANY]);
	sem_post(&go_on);
	collect(2);
	assert_int_equal(of(&qps[SLOW], 2)->result, ECANCELED);
	assert_string_equal(qps[SLOW].error.msg, "cancelled: Operation canceled");
	assert_int_equal(of(&qps[0], 2)->result, ECONNRESET);
}

/* CLOSED is the last outcome of a listener. */
TEST_BOTH(test_slow__close)
{
	int listener = listen_to_any(), i;

	connect_slowly(listener, 0, 2);
	await_slow(2);
	vbm_negotiator_offer(n, listener, &qps[MANY], NULL);
	assert_int_equal(vbm_negotiator_close(n, listener, &listener), 0);
	collect(1);
	assert_ptr_equal(got[0].qp, &qps[MANY]);
	assert_int_equal(vbm_negotiator_close(n, listener, NULL), 0);
	collect(1);
	assert_int_equal(got[0].result, ENOENT);
	sem_post(&go_on);
	sem_post(&go_on);
	collect(5);
	assert_int_equal(of(&qps[SLOW], 5)->result, ECANCELED);
	assert_int_equal(of(&qps[SLOW + 1], 5)->result, ECANCELED);
	for (i = 0; i < 5; i++)
		if (got[i].kind == VBM_OUTCOME_CLOSED)
			assert_ptr_equal(got[i].context, &listener);
	assert_int_equal(of(NULL, 5)->kind, VBM_OUTCOME_CLOSED);
	assert_int_equal(of(NULL, 5)->result, 0);
	assert_true(of(NULL, 5) > of(&qps[SLOW], 5) && of(NULL, 5) > of(&qps[SLOW + 1], 5));
}

static void until_stop(const struct vbm_qp *qp)
{
	(void)qp;
	sem_post(&begun);
	while (!__atomic_load_n(&n->mover.stop, __ATOMIC_ACQUIRE))
		sched_yield();
}

TEST_BOTH(test_slow__destroy)
{
	int listener = listen_to_any(), i;

	slow_call = until_stop;
	connect_slowly(listener, 0, MOVERS_MAX + 3);
	await_slow(MOVERS_MAX);
	vbm_destroy_negotiator(n);
	for (i = 0; i < MOVERS_MAX + 3; i++)
		assert_int_equal(qps[SLOW + i].negotiation || qps[i].negotiation, 0);
	assert_int_equal(vbm_negotiator_make(&n, &made_with, &verbs, NULL), 0);
}
