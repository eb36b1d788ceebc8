/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/negotiat*.c lib/handshake/listener.c lib/handshake/door.c */
/*
 * The server's end of a negotiator: the program decides for each client, and a client that
 * fails or falls silent costs the others nothing.
 */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../help/no-device.h"
#include "lib/handshake/negotiation.h"
#include "negotiator-setup.h"

#define CROWD 40

static struct vbm_listen_options listening(int decide)
{
	return (struct vbm_listen_options){
		.size = sizeof(struct vbm_listen_options), .decide = decide,
		.handshake.timeout_ms = PATIENCE_MS,
	};
}

static int connect_patiently(int qp, const void *data, size_t length)
{
	return connect_with(&qps[qp], WITH(.timeout_ms = PATIENCE_MS, .private_data = data, .private_length = length));
}

static uint64_t expect_request(int listener, const void *data, size_t length)
{
	static const union ibv_gid loopback_gid = {.raw = {[10] = 0xff, 0xff, 127, 0, 0, 1}};

	collect(1);
	assert_int_equal(got[0].kind, VBM_OUTCOME_REQUEST);
	assert_int_equal(got[0].result, 0);
	assert_int_equal(got[0].listener, listener);
	assert_null(got[0].qp);
	assert_int_equal(got[0].socket, -1);
	assert_int_not_equal(got[0].request, 0);
	assert_int_equal(got[0].peer.private_length, length);
	assert_memory_equal(got[0].peer.private_data, data, length);
	assert_memory_equal(&got[0].gid, &loopback_gid, sizeof(loopback_gid));
	assert_int_equal(((struct sockaddr_in *)&got[0].address)->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	return got[0].request;
}

static void expect_both(const struct vbm_qp *client, const struct vbm_qp *server, const char *word)
{
	const struct vbm_outcome *o;

	collect(2);
	o = of(server, 2);
	assert_int_equal(o->kind, VBM_OUTCOME_CONNECTED);
	assert_int_equal(o->result, 0);
	o = of(client, 2);
	assert_int_equal(o->result, 0);
	assert_int_equal(o->peer.private_length, strlen(word));
	assert_memory_equal(o->peer.private_data, word, strlen(word));
	close_all(2);
}

/* Each client has its own answer, from a queue pair of its own or from those offered. */
TEST_BOTH(test_decide__accept)
{
	struct vbm_listen_options options = listening(1);
	int listener = listen_at(AF_INET, &options);
	uint64_t request;
	char word[] = "one";

	assert_int_equal(connect_patiently(0, "first", 5), 0);
	request = expect_request(listener, "first", 5);
	assert_int_equal(vbm_negotiator_accept(n, request, &qps[MANY], word, 3, &word), 0);
	memset(word, 'x', 3);
	expect_both(&qps[0], &qps[MANY], "one");
	/* An offer answers nobody by itself. */
	vbm_negotiator_offer(n, listener, &qps[MANY + 1], NULL);
	assert_int_equal(connect_patiently(1, "second", 6), 0);
	request = expect_request(listener, "second", 6);
	assert_int_equal(vbm_negotiator_accept(n, request, NULL, "two", 3, NULL), 0);
	expect_both(&qps[1], &qps[MANY + 1], "two");
	/* Without an offer the client waits for one. */
	assert_int_equal(connect_patiently(2, "third", 5), 0);
	request = expect_request(listener, "third", 5);
	assert_int_equal(vbm_negotiator_accept(n, request, NULL, NULL, 0, NULL), 0);
	vbm_negotiator_offer(n, listener, &qps[MANY + 2], NULL);
	expect_both(&qps[2], &qps[MANY + 2], "");
}

TEST_BOTH(test_decide__reject)
{
	struct vbm_listen_options options = listening(1);
	int listener = listen_at(AF_INET, &options), count;
	uint64_t request;

	assert_int_equal(connect_patiently(0, "me", 2), 0);
	request = expect_request(listener, "me", 2);
	assert_int_equal(vbm_negotiator_reject(n, request, "not you", 7), 0);
	collect(1);
	assert_int_equal(got[0].result, ECONNREFUSED);
	assert_int_equal(got[0].peer.private_length, 7);
	assert_memory_equal(got[0].peer.private_data, "not you", 7);
	/* The answer is given. A second one has nobody to go to. */
	assert_int_equal(vbm_negotiator_reject(n, request, NULL, 0), 0);
	assert_int_equal(vbm_negotiator_accept(n, request, NULL, NULL, 0, NULL), 0);
	assert_int_equal(vbm_negotiator_accept(n, request, &qps[MANY], NULL, 0, NULL), 0);
	collect(1);
	assert_ptr_equal(got[0].qp, &qps[MANY]);
	assert_int_equal(got[0].result, ECONNRESET);
	assert_string_equal(qps[MANY].error.msg, "the client does not wait any more");
	vbm_negotiator_collect(n, got, 1, &count);
	assert_int_equal(count, 0);
	assert_int_equal(in_rts, 0);
}

TEST_BOTH(test_decide__too_late)
{
	struct vbm_listen_options options = listening(1);
	int listener = listen_at(AF_INET, &options);
	uint64_t request;

	/* The client goes. */
	assert_int_equal(connect_patiently(0, "", 0), 0);
	request = expect_request(listener, "", 0);
	vbm_negotiator_cancel(n, &qps[0]);
	collect(1);
	assert_int_equal(vbm_negotiator_accept(n, request, &qps[MANY], NULL, 0, NULL), 0);
	collect(1);
	assert_int_equal(got[0].result == 0, 0);
	/* Its time is up. */
	options.handshake.timeout_ms = 30;
	listener = listen_at(AF_INET, &options);
	assert_int_equal(connect_patiently(0, "", 0), 0);
	request = expect_request(listener, "", 0);
	collect(1);
	assert_ptr_equal(got[0].qp, &qps[0]);
	assert_int_equal(got[0].result, EBUSY);
	assert_int_equal(vbm_negotiator_accept(n, request, &qps[MANY], NULL, 0, NULL), 0);
	collect(1);
	assert_int_equal(got[0].result, ECONNRESET);
}

TEST_BOTH(test_decide__a_queue_pair_of_another_address)
{
	struct vbm_listen_options options = listening(1);
	int listener = listen_at(AF_INET, &options);
	uint64_t request;

	assert_int_equal(connect_patiently(0, "", 0), 0);
	request = expect_request(listener, "", 0);
	set_gids(MANY, 1, AF_INET6);
	assert_int_equal(vbm_negotiator_accept(n, request, &qps[MANY], NULL, 0, NULL), 0);
	collect(2);
	assert_int_equal(of(&qps[MANY], 2)->result, EPROTO);
	assert_int_equal(of(&qps[0], 2)->result, EBUSY);
	assert_int_equal(in_rts, 0);
}

TEST_BOTH(test_decide__arguments)
{
	char wide[VBM_HANDSHAKE_PRIVATE_MAX + 1] = "";

	assert_int_equal(vbm_negotiator_accept(NULL, 1, NULL, NULL, 0, NULL), EINVAL);
	assert_int_equal(vbm_negotiator_reject(NULL, 1, NULL, 0), EINVAL);
	assert_int_equal(vbm_negotiator_accept(n, 0, &qps[0], NULL, 0, NULL), EINVAL);
	assert_int_equal(vbm_negotiator_accept(n, 1, &qps[0], NULL, 1, NULL), EINVAL);
	assert_int_equal(vbm_negotiator_reject(n, 1, wide, sizeof(wide)), EINVAL);
	assert_int_equal(vbm_negotiator_reject(n, UINT64_MAX, wide, 1), 0);
	keep_states = true;
	in_rts = qps[0].negotiation = 1;
	assert_int_equal(vbm_negotiator_accept(n, 1, &qps[0], NULL, 0, NULL), EBUSY);
	qps[0].negotiation = 0;
}

/* As many clients wait for a decision as outcomes have room; the next one is refused. */
TEST_BOTH(test_decide__about_too_many)
{
	struct vbm_listen_options options = listening(1);
	int listener, i, rejected = 0;
	uint64_t request[4];

	vbm_destroy_negotiator(n);
	made_with.depth = 4;
	assert_int_equal(vbm_negotiator_make(&n, &made_with, &verbs, NULL), 0);
	listener = listen_at(AF_INET, &options);
	for (i = 0; i < 4; i++) {
		assert_int_equal(connect_patiently(i, "", 0), 0);
		request[i] = expect_request(listener, "", 0);
	}
	for (i = 0; i < 4; i++)
		assert_int_equal(vbm_negotiator_reject(n, request[i], NULL, 0), 0);
	while (rejected < 4) {
		collect(1);
		assert_int_equal(got[0].result, ECONNREFUSED);
		rejected++;
	}
	/* A number is used once. */
	assert_int_equal(connect_patiently(0, "", 0), 0);
	assert_true(expect_request(listener, "", 0) != request[0]);
}

/* ---- clients that spoil a handshake ---- */

static int dial(void)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(s, (struct sockaddr *)&address, sizeof(struct sockaddr_in)), 0);
	return s;
}

static void begin_well(int s)
{
	assert_true(no_device_begin(s, &qps[0].local.gid));
}

/* Wait for bytes of the server's answer, while the negotiator works. */
static void await_answer(int s)
{
	uint8_t bytes[HANDSHAKE_BYTES_1];
	int count;

	while (recv(s, bytes, sizeof(bytes), MSG_DONTWAIT) < 0) {
		assert_int_equal(errno, EAGAIN);
		vbm_negotiator_wait(n, got, 1, 1, &count);
		assert_int_equal(count, 0);
	}
}

static int prepared, refuse_prepare;

static int prepare(struct vbm_qp *qp, void *context)
{
	note_thread();
	assert_ptr_equal(qp, context);
	prepared++;
	return refuse_prepare;
}

/* One offer is enough for a crowd that takes its answer and goes, and for a good client. */
static void spoil_and_connect(int listener)
{
	int i, s;

	keep_states = true;
	vbm_negotiator_offer(n, listener, &qps[MANY], &qps[MANY]);
	for (i = 0; i < CROWD; i++) {
		s = dial();
		begin_well(s);
		await_answer(s);
		close(s);
	}
	assert_int_equal(connect_patiently(0, "", 0), 0);
	collect(2);
	assert_int_equal(of(&qps[MANY], 2)->result, 0);
	assert_int_equal(of(&qps[0], 2)->result, 0);
	assert_ptr_equal(of(&qps[MANY], 2)->context, &qps[MANY]);
	assert_int_equal(back_in_init, CROWD);
	assert_int_equal(given_up, 0);
	close_all(2);
}

TEST_BOTH(test_offer__is_not_used_up__with_prepare)
{
	struct vbm_listen_options options = listening(0);

	prepared = refuse_prepare = 0;
	options.prepare = prepare;
	spoil_and_connect(listen_at(AF_INET, &options));
	assert_int_equal(prepared, CROWD);
}

TEST_BOTH(test_offer__is_not_used_up__with_shared_receives)
{
	static struct ibv_srq srq;
	struct vbm_listen_options options = listening(0);

	qps[MANY].options.srq = &srq;
	spoil_and_connect(listen_at(AF_INET, &options));
}

/* Without its receives the queue pair is the program's again. */
TEST_BOTH(test_offer__whose_receives_are_lost)
{
	struct vbm_listen_options options = listening(0);
	int i, s, listener;

	for (i = 0; i < 3; i++) {
		/* None; the program cannot post them; the device refuses. */
		keep_states = true;
		options.prepare = i ? prepare : NULL;
		refuse_prepare = i == 1 ? EPERM : 0;
		refuse_init = i == 2 ? EIO : 0;
		listener = listen_at(AF_INET, &options);
		assert_int_equal(vbm_negotiator_offer(n, listener, &qps[MANY + i], &qps[MANY + i]), 0);
		s = dial();
		begin_well(s);
		await_answer(s);
		close(s);
		collect(1);
		assert_ptr_equal(got[0].qp, &qps[MANY + i]);
		assert_int_equal(got[0].result, i == 0 ? ECONNRESET : i == 1 ? EPERM : EIO);
		assert_int_equal(given_up, i + 1);
	}
	assert_string_equal(qps[MANY + 1].error.msg, "the program cannot prepare queue pair 203 again");
}

/* The negotiator tells what the device refuses; an unreachable peer is the peer's fault. */
TEST_BOTH(test_offer__of_a_queue_pair_that_cannot_move)
{
	struct vbm_listen_options options = listening(0);
	int listener = listen_at(AF_INET, &options);

	refuse_rts = EINVAL;
	vbm_negotiator_offer(n, listener, &qps[MANY], NULL);
	assert_int_equal(connect_with(&qps[0], WITH(.version = VBM_HANDSHAKE_ONLY_1)), 0);
	collect(2);
	assert_int_equal(of(&qps[MANY], 2)->result, EINVAL);
	refuse_rts = EHOSTUNREACH;
	vbm_negotiator_offer(n, listener, &qps[MANY], NULL);
	assert_int_equal(connect_with(&qps[0], WITH(.version = VBM_HANDSHAKE_ONLY_1)), 0);
	collect(1);
	assert_ptr_equal(got[0].qp, &qps[0]);
	assert_int_equal(got[0].result, ECONNRESET);
}

/* ---- clients that fall silent ---- */

/* Each has the server's answer and sends no third message: the places of a good client. */
TEST_BOTH(test_silence__of_clients_with_an_answer)
{
	struct vbm_listen_options options = listening(0);
	int listener, s[8], i;

	options.max_pending = 8;
	options.grace_ms = 20;
	listener = listen_at(AF_INET, &options);
	for (i = 0; i < 8; i++) {
		vbm_negotiator_offer(n, listener, &qps[MANY + i], &qps[MANY + i]);
		s[i] = dial();
		begin_well(s[i]);
		await_answer(s[i]);
	}
	/* All places are taken, and all queue pairs. */
	assert_int_equal(connect_patiently(0, "", 0), 0);
	collect(2);
	assert_int_equal(got[0].result || got[1].result, 0);
	assert_int_equal(of(&qps[0], 2)->result, 0);
	close_all(2);
	for (i = 0; i < 8; i++)
		close(s[i]);
}

/* There are places, and one queue pair, which a silent client has. */
TEST_BOTH(test_silence__of_the_client_with_the_queue_pair)
{
	struct vbm_listen_options options = listening(0);
	int listener, s[2], i;

	options.grace_ms = 20;
	listener = listen_at(AF_INET, &options);
	vbm_negotiator_offer(n, listener, &qps[MANY], NULL);
	for (i = 0; i < 2; i++) {
		s[i] = dial();
		begin_well(s[i]);
	}
	await_answer(s[0]);
	await_answer(s[1]);
	assert_int_equal(connect_patiently(0, "", 0), 0);
	collect(2);
	assert_int_equal(of(&qps[MANY], 2)->result, 0);
	assert_int_equal(of(&qps[0], 2)->result, 0);
	close_all(2);
	close(s[0]);
	close(s[1]);
}

/* ---- descriptors that run out ---- */

static struct rlimit before_limit;

static void forbid_descriptors(void)
{
	int next = dup(STDERR_FILENO);
	struct rlimit none;

	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before_limit), 0);
	none = before_limit;
	none.rlim_cur = (rlim_t)next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

static const struct listener *first_listener(void)
{
	return of_ring(&n->listeners, struct listener, link);
}

static int dial_in_silence(void)
{
	int s = dial(), count;

	assert_int_equal(send(s, "x", 1, 0), 1);
	while (first_listener()->door.count == 0)
		vbm_negotiator_wait(n, got, 1, 1, &count);
	return s;
}

/* The caller waits in the kernel, and the listener looks again later. */
TEST_BETWEEN(test_descriptors__run_out, start_in_loop, stop)
{
	struct vbm_listen_options options = listening(0);
	int listener = listen_at(AF_INET, &options), s, count;

	vbm_negotiator_offer(n, listener, &qps[MANY], NULL);
	s = dial();
	begin_well(s);
	forbid_descriptors();
	while (!first_listener()->door.resume.next)
		vbm_negotiator_wait(n, got, 1, 1, &count);
	assert_int_equal(first_listener()->door.count, 0);
	assert_int_equal(recv(s, &count, 1, MSG_DONTWAIT), -1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before_limit), 0);
	await_answer(s);
	close(s);
	vbm_negotiator_cancel(n, &qps[MANY]);
	collect(1);
}

/* A silent client gives its descriptor to one that is not. */
TEST_BETWEEN(test_descriptors__of_a_silent_client, start_in_loop, stop)
{
	struct vbm_listen_options options = listening(0);
	int listener, silent, s;

	options.grace_ms = 20;
	listener = listen_at(AF_INET, &options);
	vbm_negotiator_offer(n, listener, &qps[MANY], NULL);
	silent = dial_in_silence();
	s = dial();
	begin_well(s);
	forbid_descriptors();
	await_answer(s);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before_limit), 0);
	assert_true(has_closed(silent));
	vbm_negotiator_cancel(n, &qps[MANY]);
	collect(1);
	close(silent);
	close(s);
}
