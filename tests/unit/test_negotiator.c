/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/negotiator*.c lib/handshake/negotiation*.c */
/* The work of a negotiator's thread. */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "negotiator-setup.h"

UNIT(.each = {start, stop});

/* Many at once, both ends in one thread; each has its own peer. */
static void many(int family)
{
	int listener = listen_at(family, NULL), i;
	struct vbm_handshake_options options;
	const struct vbm_outcome *o;

	for (i = 0; i < MANY; i++) {
		options = *WITH(.private_data = &i, .private_length = sizeof(i), .timeout_ms = PATIENCE_MS);
		assert_int_equal(connect_with(&qps[i], &options), 0);
		assert_int_equal(qps[i].connecting, 1);
		assert_int_equal(vbm_negotiator_offer(n, listener, &qps[MANY + i], &qps[MANY + i]), 0);
		assert_int_equal(connect_with(&qps[i], NULL), EBUSY);
	}
	collect(2 * MANY);
	for (i = 0; i < MANY; i++) {
		o = of(&qps[MANY + i], 2 * MANY);
		assert_int_equal(o->result, 0);
		assert_ptr_equal(o->context, o->qp);
		assert_int_equal(o->listener, listener);
		assert_int_equal(o->peer.private_length, sizeof(i));
		assert_memory_equal(o->peer.private_data, &(int){(int)o->qp->peer.qp_num - 2}, sizeof(i));
		assert_int_equal(o->address.ss_family, family);
		o = of(&qps[i], 2 * MANY);
		assert_int_equal(o->result, 0);
		assert_int_equal(o->qp->connecting, 0);
		assert_int_equal(qps[o->qp->peer.qp_num - 2].peer.qp_num, i + 2);
		assert_int_equal(qps[o->qp->peer.qp_num - 2].terms.rq_psn, o->qp->terms.sq_psn);
	}
	assert_int_equal(in_rts, 2 * MANY);
	assert_int_equal(given_up, 0);
	close_all(2 * MANY);
	assert_int_equal(vbm_negotiator_close(n, listener, NULL), 0);
	collect(1);
	assert_int_equal(got[0].kind, VBM_OUTCOME_CLOSED);
}

TEST_BOTH(test_connect__many_at_once)
{
	many(AF_INET);
	in_rts = 0;
	many(AF_INET6);
}

/* A thread that only polls: no call blocks, and it gets the outcomes, too. */
TEST(test_collect__never_waits)
{
	struct sockaddr_storage a = loopback(AF_INET);
	socklen_t len = sizeof(a);
	int silent = socket(AF_INET, SOCK_STREAM, 0), rounds = 0, count = 0;

	assert_int_equal(bind(silent, (struct sockaddr *)&a, len) || listen(silent, 1), 0);
	getsockname(silent, (struct sockaddr *)&address, &len);
	/* A call that waited would return with the outcome. */
	assert_int_equal(connect_with(&qps[1], WITH(.timeout_ms = PATIENCE_MS)), 0);
	for (; rounds < 100; rounds++) {
		assert_int_equal(vbm_negotiator_collect(n, got, 1, &count), 0);
		assert_int_equal(count, 0);
	}
	assert_int_equal(vbm_negotiator_cancel(n, &qps[1]), 0);
	collect(1);
	given_up = 0;
	assert_int_equal(connect_with(&qps[0], WITH(.timeout_ms = 50)), 0);
	for (count = 0; count == 0;)
		assert_int_equal(vbm_negotiator_collect(n, got, 1, &count), 0);
	assert_int_equal(got[0].result, ETIMEDOUT);
	assert_int_equal(got[0].socket, -1);
	assert_int_equal(qps[0].connecting, 0);
	assert_int_equal(given_up, 1);
	assert_non_null(strstr(qps[0].error.msg, "silent"));
	close(silent);
}

/* The time limit of a step ends a silent client, and a connect(2) without an answer. */
TEST_BOTH(test_time__of_a_peer_that_never_begins)
{
	struct sockaddr_storage a = loopback(AF_INET);
	socklen_t len = sizeof(a);
	int silent = socket(AF_INET, SOCK_STREAM, 0), full = socket(AF_INET, SOCK_STREAM, 0);
	int first = socket(AF_INET, SOCK_STREAM, 0);

	listen_at(AF_INET, &(struct vbm_listen_options){.size = sizeof(struct vbm_listen_options),
							.handshake.timeout_ms = 30});
	assert_int_equal(connect(silent, (struct sockaddr *)&address, len), 0);
	assert_true(has_closed(silent));
	/* A backlog of one: Linux answers no further client. */
	assert_int_equal(bind(full, (struct sockaddr *)&a, len) || listen(full, 0), 0);
	getsockname(full, (struct sockaddr *)&address, &len);
	assert_int_equal(connect(first, (struct sockaddr *)&address, len), 0);
	assert_int_equal(connect_with(&qps[0], WITH(.timeout_ms = 30)), 0);
	collect(1);
	assert_int_equal(got[0].result, ETIMEDOUT);
	assert_non_null(strstr(qps[0].error.msg, "the server does not answer"));
	close(silent);
	close(first);
	close(full);
}

static bool is_readable(void)
{
	struct pollfd p = {.fd = vbm_negotiator_fd(n), .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* A notification for an outcome that has been collected does not repeat. */
TEST(test_notify__is_quiet_until_the_next_outcome)
{
	struct pollfd p = {.events = POLLIN};
	int listener, i, k, count;

	p.fd = vbm_negotiator_fd(n);
	listener = listen_at(AF_INET, NULL);
	for (i = 0; i < 50; i++) {
		/* The last notification may come late. Then there is none the next time. */
		for (k = 0; k < 1000; k++) {
			assert_int_equal(vbm_negotiator_notify(n), 0);
			if (!is_readable())
				break;
		}
		assert_true(k < 1000);
		vbm_negotiator_offer(n, listener + 1, &qps[0], NULL);
		assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
		assert_int_equal(vbm_negotiator_collect(n, got, 1, &count), 0);
		assert_int_equal(count, 1);
		assert_true(is_readable());
	}
}

/*
 * Without a thread: the descriptor is readable while there is something to collect, also of
 * a call that ended at once, and the program needs no other call to wait.
 */
TEST_BETWEEN(test_fd__in_loop, start_in_loop, stop)
{
	struct pollfd p = {.events = POLLIN};
	int listener = listen_at(AF_INET, NULL), have = 0, count, i;

	p.fd = vbm_negotiator_fd(n);
	assert_int_equal(vbm_negotiator_notify(n), 0);
	assert_int_equal(vbm_negotiator_collect(n, got, 1, &count), 0);
	assert_int_equal(count, 0);
	assert_false(is_readable());
	for (i = 0; i < 3; i++)
		assert_int_equal(vbm_negotiator_offer(n, listener + 1, &qps[i], NULL), 0);
	for (i = 0; i < 3; i++) {
		assert_true(is_readable());
		assert_int_equal(vbm_negotiator_collect(n, got, 1, &count), 0);
		assert_int_equal(got[0].result, ENOENT);
	}
	assert_int_equal(vbm_negotiator_collect(n, got, 1, &count), 0);
	assert_int_equal(count, 0);
	assert_false(is_readable());
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	assert_int_equal(connect_with(&qps[1], NULL), 0);
	while (have < 2) {
		assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
		assert_int_equal(vbm_negotiator_collect(n, got + have, 2 - have, &count), 0);
		have += count;
	}
	assert_int_equal(got[0].result || got[1].result, 0);
	close_all(2);
}

TEST_BOTH(test_versions__are_tried_in_turn)
{
	struct vbm_listen_options only_0 = {.size = sizeof(only_0), .handshake.version = VBM_HANDSHAKE_ONLY_0};
	struct vbm_handshake_options with_data = {.size = sizeof(with_data), .private_data = "x", .private_length = 1};
	int listener = listen_at(AF_INET, &only_0);

	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	connect_with(&qps[1], &with_data);
	collect(1);
	assert_ptr_equal(got[0].qp, &qps[1]);
	assert_int_equal(got[0].result, EPROTONOSUPPORT);
	connect_with(&qps[1], NULL);
	collect(2);
	assert_int_equal(of(&qps[1], 2)->result, 0);
	assert_int_equal(of(&qps[0], 2)->result, 0);
	assert_int_equal(got[0].peer.version, 0);
	close_all(2);
}

/* Silent clients use up max_pending; a client that sends its message gets in. */
TEST_BOTH(test_flood__of_silence)
{
	struct vbm_listen_options few = {.size = sizeof(few), .max_pending = 4, .grace_ms = 20,
					 .handshake.timeout_ms = PATIENCE_MS};
	int listener = listen_at(AF_INET, &few), silent[40], i;

	for (i = 0; i < 40; i++) {
		silent[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(connect(silent[i], (struct sockaddr *)&address, sizeof(struct sockaddr_in)), 0);
		/* One that says nothing at all would stay in the kernel for a second. */
		assert_int_equal(send(silent[i], "x", 1, 0), 1);
	}
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	assert_int_equal(connect_with(&qps[1], WITH(.timeout_ms = PATIENCE_MS)), 0);
	collect(2);
	assert_int_equal(of(&qps[0], 2)->result, 0);
	assert_int_equal(of(&qps[1], 2)->result, 0);
	close_all(2);
	for (i = 0; i < 40; i++)
		close(silent[i]);
}

/* A client without a queue pair waits for one, and gets an error if none comes. */
TEST_BOTH(test_offer__comes_late_or_never)
{
	struct vbm_listen_options patient = {.size = sizeof(patient), .handshake.timeout_ms = PATIENCE_MS};
	struct vbm_listen_options hasty = {.size = sizeof(hasty), .handshake.timeout_ms = 30};
	int listener = listen_at(AF_INET, &patient), count;

	connect_with(&qps[1], WITH(.timeout_ms = PATIENCE_MS));
	/* When this client is back, the other one has been waiting for a long time. */
	vbm_negotiator_offer(n, listener + 1, &qps[2], NULL);
	collect(1);
	assert_int_equal(got[0].result, ENOENT);
	vbm_negotiator_collect(n, got, 1, &count);
	assert_int_equal(count, 0);
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	collect(2);
	assert_int_equal(got[0].result, 0);
	close_all(2);
	listen_at(AF_INET, &hasty);
	connect_with(&qps[1], WITH(.timeout_ms = PATIENCE_MS));
	collect(1);
	assert_int_equal(got[0].result, EBUSY);
}

TEST_BOTH(test_cancel__at_each_place)
{
	int listener = listen_at(AF_INET, NULL), i;

	assert_int_equal(vbm_negotiator_cancel(n, &qps[0]), ENOENT);
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	assert_int_equal(vbm_negotiator_cancel(n, &qps[0]), 0);
	collect(1);
	assert_int_equal(got[0].result, ECANCELED);
	assert_int_equal(got[0].listener, listener);
	/* No queue pair is offered: the client waits for its answer. */
	connect_with(&qps[1], NULL);
	assert_int_equal(vbm_negotiator_cancel(n, &qps[1]), 0);
	assert_int_equal(vbm_negotiator_cancel(n, &qps[1]), 0);
	collect(1);
	assert_int_equal(got[0].result, ECANCELED);
	assert_int_equal(got[0].listener, 0);
	/* Either call may be first. Each has one outcome, and a reused slot is not cancelled. */
	for (i = 0; i < MANY; i++) {
		vbm_negotiator_offer(n, listener, &qps[0], NULL);
		connect_with(&qps[1], NULL);
		vbm_negotiator_cancel(n, &qps[i & 1]);
		collect(1);
		if (got[0].qp == &qps[1] && got[0].result) {
			/* The server's end may have begun, and then has an outcome of its own. */
			vbm_negotiator_cancel(n, &qps[0]);
		} else if (got[0].result) {
			vbm_negotiator_cancel(n, &qps[1]);
		}
		close_all(1);
		collect(1);
		close_all(1);
	}
	assert_int_equal(qps[0].negotiation, 0);
	assert_int_equal(qps[1].negotiation, 0);
}

TEST_BOTH(test_close__ends_what_the_listener_has)
{
	int listener = listen_at(AF_INET, NULL), i;

	for (i = 0; i < 5; i++)
		vbm_negotiator_offer(n, listener, &qps[i], NULL);
	assert_int_equal(vbm_negotiator_close(n, listener, &listener), 0);
	collect(6);
	for (i = 0; i < 5; i++)
		assert_int_equal(got[i].result, ECANCELED);
	assert_int_equal(got[5].kind, VBM_OUTCOME_CLOSED);
	assert_ptr_equal(got[5].context, &listener);
	vbm_negotiator_close(n, listener, NULL);
	connect_with(&qps[0], NULL);
	collect(2);
	assert_int_equal(of(NULL, 2)->result, ENOENT);
	assert_int_equal(of(&qps[0], 2)->result, ECONNREFUSED);
}

TEST_BOTH(test_failure__of_the_two_calls__reaches_both)
{
	int listener = listen_at(AF_INET, NULL);

	refuse_rts = ENOMEM;
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	connect_with(&qps[1], WITH(.version = VBM_HANDSHAKE_ONLY_1));
	collect(2);
	assert_int_equal(of(&qps[0], 2)->result, ENOMEM);
	assert_int_equal(of(&qps[1], 2)->result, ECONNRESET);
	assert_int_equal(given_up, 2);
}

/* stop() below checks that nothing is left. */
TEST_BOTH(test_destroy__with_all_under_way)
{
	int listener = listen_at(AF_INET, NULL), i, round;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < 2 * round; i++) {
			vbm_negotiator_offer(n, listener, &qps[MANY + i], NULL);
			connect_with(&qps[i], NULL);
		}
		vbm_destroy_negotiator(n);
		assert_int_equal(qps[0].negotiation, 0);
		assert_int_equal(qps[MANY].connecting, 0);
		assert_int_equal(vbm_negotiator_make(&n, &made_with, &verbs, NULL), 0);
		listener = listen_at(AF_INET, NULL);
	}
}

/* The program cannot change a queue pair that the negotiator has. */
TEST_BOTH(test_calls__on_a_queue_pair_in_a_handshake)
{
	int listener = listen_at(AF_INET, NULL);
	struct ibv_qp verbs_qp = {.state = IBV_QPS_INIT};

	qps[0].qp = &verbs_qp;
	assert_int_equal(vbm_negotiator_offer(n, listener, &qps[0], NULL), 0);
	assert_int_equal(vbm_destroy_qp(&qps[0]), EBUSY);
	assert_string_equal(qps[0].error.msg, "queue pair 2 is in a handshake: wait for its end, or cancel it");
	assert_int_equal(vbm_qp_to_init(&qps[0]), EBUSY);
	assert_int_equal(vbm_qp_to_rtr(&qps[0]), EBUSY);
	assert_int_equal(vbm_qp_to_rts(&qps[0]), EBUSY);
	assert_int_equal(vbm_modify_qp_to_rts(&qps[0]), EBUSY);
	assert_int_equal(vbm_reset_qp(&qps[0]), EBUSY);
	assert_int_equal(vbm_negotiator_offer(n, listener, &qps[0], NULL), EBUSY);
	/* The outcome brings the error of the handshake. */
	vbm_negotiator_cancel(n, &qps[0]);
	collect(1);
	assert_int_equal(got[0].result, ECANCELED);
	assert_int_equal(qps[0].error.code, ECANCELED);
	assert_string_equal(qps[0].error.msg, "cancelled");
}

static int start_small(void **state)
{
	(void)state;
	return start_with(4);
}

TEST_BETWEEN(test_full__is_eagain, start_small, stop)
{
	int listener = listen_at(AF_INET, NULL), i, other;

	for (i = 0; i < 4; i++)
		assert_int_equal(vbm_negotiator_offer(n, listener, &qps[i], NULL), 0);
	assert_int_equal(vbm_negotiator_offer(n, listener, &qps[4], NULL), EAGAIN);
	assert_int_equal(connect_with(&qps[4], NULL), EAGAIN);
	assert_int_equal(vbm_negotiator_close(n, listener, NULL), EAGAIN);
	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&address, NULL, NULL, &other), EAGAIN);
	assert_int_equal(qps[4].connecting, 0);
	vbm_negotiator_cancel(n, &qps[0]);
	collect(1);
	assert_int_equal(vbm_negotiator_offer(n, listener, &qps[4], NULL), 0);
}

static int word(void *context, const struct vbm_handshake_peer *client,
		struct vbm_handshake_options *reply)
{
	(void)context;
	(void)client;
	(void)reply;
	return 0;
}

TEST_BOTH(test_arguments)
{
	struct sockaddr_storage local = {.ss_family = AF_UNIX};
	struct vbm_handshake_options asks = *WITH(.request = word), wide = *WITH(.private_length = 193);
	struct vbm_handshake_options unsized = {.timeout_ms = 1};
	struct vbm_listen_options listens = {.size = sizeof(listens), .handshake.request = word};
	struct vbm_negotiator_options deep = {.size = sizeof(deep), .depth = 1u << 21};
	struct vbm_negotiator *other;
	struct vbm_error error;
	int listener = listen_at(AF_INET, NULL), count;

	assert_int_equal(vbm_create_negotiator(NULL, NULL, NULL), EINVAL);
	assert_int_equal(vbm_create_negotiator(&other, &deep, &error), EINVAL);
	assert_string_equal(error.msg, "depth: 2097152 is more than 1048576");
	assert_null(other);
	assert_int_equal(vbm_create_negotiator(&other, &(struct vbm_negotiator_options){0}, &error), EINVAL);
	assert_non_null(strstr(error.msg, "vbm_negotiator_options_init()"));
	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&address, &listens, NULL, &count), EINVAL);
	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&local, NULL, NULL, &count), EAFNOSUPPORT);
	assert_int_equal(vbm_negotiator_listen(n, NULL, NULL, NULL, &count), EINVAL);
	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&address, NULL, NULL, &count), 0);
	collect(1);
	assert_int_equal(got[0].result, EADDRINUSE);
	assert_int_equal(connect_with(&qps[0], &asks), EINVAL);
	assert_string_equal(qps[0].error.msg, "request: a negotiator does not call it; see decide of "
			    "vbm_listen_options");
	assert_int_equal(connect_with(&qps[0], WITH(.interrupt = 1)), EOPNOTSUPP);
	assert_string_equal(qps[0].error.msg, "interrupt: a negotiator has vbm_negotiator_cancel() for that");
	assert_int_equal(connect_with(&qps[0], &wide), EINVAL);
	assert_string_equal(qps[0].error.msg, "private_length: 193 is more than 192");
	assert_int_equal(connect_with(&qps[0], WITH(.private_length = 1)), EINVAL);
	assert_string_equal(qps[0].error.msg, "private_length: 1, and private_data is NULL");
	assert_int_equal(connect_with(&qps[0], WITH(.version = 9)), EINVAL);
	assert_string_equal(qps[0].error.msg, "version: 9 is not a value of enum vbm_handshake_version");
	assert_int_equal(connect_with(&qps[0], WITH(.keepalive_ms = 999)), EINVAL);
	assert_string_equal(qps[0].error.msg, "keepalive_ms: 999 is less than 1000");
	assert_int_equal(connect_with(&qps[0], WITH(.keepalive_ms = -1)), EINVAL);
	assert_int_equal(connect_with(&qps[0], &unsized), EINVAL);
	assert_string_equal(qps[0].error.msg, "the member size of struct vbm_handshake_options is 0: call "
			    "vbm_handshake_options_init() first");
	assert_int_equal(connect_with(NULL, NULL), EINVAL);
	assert_int_equal(vbm_negotiator_offer(n, listener, NULL, NULL), EINVAL);
	assert_int_equal(vbm_negotiator_collect(n, got, 0, &count), EINVAL);
	assert_int_equal(vbm_negotiator_wait(n, got, 1, 0, &count), ETIMEDOUT);
	assert_int_equal(vbm_negotiator_fd(NULL), -1);
	assert_int_equal(vbm_negotiator_notify(NULL), EINVAL);
	assert_int_equal(vbm_destroy_negotiator(NULL), 0);
}
