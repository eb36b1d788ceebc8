/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/negotiator*.c lib/handshake/negotiation.c */
/*
 * The negotiator's thread with real sockets, on this host's loopback. The table of calls
 * that need a device is replaced, so no device is needed, and the thread sanitizer sees
 * all other code (.ci/run threads).
 */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../help/descriptors.h"
#include "lib/handshake/negotiator.h"

#define MANY 200
#define PATIENCE_MS 60000

static pthread_t program;
static int wrong_thread, in_rts, given_up, refuse_rts;

static bool in_init(const struct vbm_qp *qp)
{
	(void)qp;
	return true;
}

static int to_rts(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error)
{
	(void)error;
	wrong_thread += pthread_equal(pthread_self(), program) != 0;
	in_rts++;
	qp->peer = h->peer.address;
	vbm_handshake_terms(h, &qp->terms);
	return refuse_rts;
}

static void give_up(struct vbm_qp *qp)
{
	(void)qp;
	wrong_thread += pthread_equal(pthread_self(), program) != 0;
	given_up++;
}

static const struct negotiator_verbs verbs = {in_init, to_rts, give_up};

static struct vbm_negotiator *n;
static struct vbm_outcome got[MANY * 3];
static struct vbm_qp qps[MANY * 2];

static int before;

/* The GIDs of this host's loopback: of the queue pairs from @first on. */
static void set_gids(size_t first, size_t count, int family)
{
	static const union ibv_gid in = {.raw = {[10] = 0xff, 0xff, 127, 0, 0, 1}}, in6 = {.raw = {[15] = 1}};

	for (size_t i = first; i < first + count; i++)
		qps[i].local.gid = family == AF_INET ? in : in6;
}

static int start_with(unsigned int depth)
{
	size_t i;

	before = open_descriptors();
	program = pthread_self();
	wrong_thread = in_rts = given_up = refuse_rts = 0;
	memset(qps, 0, sizeof(qps));
	for (i = 0; i < MANY * 2; i++) {
		qps[i].local.qp_num = (uint32_t)i + 2;
		qps[i].options.mtu = 1024;
	}
	set_gids(0, MANY * 2, AF_INET);
	return vbm_negotiator_make(&n, depth, &verbs, NULL);
}

static int start(void **state)
{
	(void)state;
	return start_with(0);
}

/* After every test: nothing is left of it, and no call was made by the wrong thread. */
static int stop(void **state)
{
	(void)state;
	vbm_destroy_negotiator(n);
	return wrong_thread || open_descriptors() != before;
}

static struct sockaddr_storage loopback(int family)
{
	struct sockaddr_storage a = {.ss_family = (sa_family_t)family};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	if (family == AF_INET)
		memcpy(&a, &in, sizeof(in));
	else
		memcpy(&a, &in6, sizeof(in6));
	return a;
}

static void collect(int wanted)
{
	int have = 0, count, rc;

	while (have < wanted) {
		rc = vbm_negotiator_wait(n, got + have, wanted - have, PATIENCE_MS, &count);
		if (rc == EINTR)
			continue;
		assert_int_equal(rc, 0);
		have += count;
	}
}

static struct sockaddr_storage address;

static int listen_at(int family, const struct vbm_listen_options *options)
{
	struct sockaddr_storage a = loopback(family);
	int listener;

	set_gids(0, MANY * 2, family);
	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&a, options, &a, &listener), 0);
	collect(1);
	assert_int_equal(got[0].kind, VBM_OUTCOME_LISTENING);
	assert_int_equal(got[0].result, 0);
	assert_ptr_equal(got[0].context, &a);
	assert_int_equal(got[0].listener, listener);
	address = got[0].address;
	return listener;
}

static int connect_with(struct vbm_qp *qp, const struct vbm_handshake_options *options)
{
	return vbm_negotiator_connect(n, qp, (struct sockaddr *)&address, options, qp);
}

static void close_all(int count)
{
	for (int i = 0; i < count; i++)
		if (got[i].socket >= 0)
			close(got[i].socket);
}

static const struct vbm_outcome *of(const struct vbm_qp *qp, int count)
{
	for (int i = 0; i < count; i++)
		if (got[i].qp == qp)
			return &got[i];
	fail_msg("queue pair %u has no outcome", qp ? qp->local.qp_num : 0);
	return got;
}

/* Many at once, both ends in one thread; each has its own peer. */
static void many(int family)
{
	int listener = listen_at(family, NULL), i;
	struct vbm_handshake_options options;
	const struct vbm_outcome *o;

	for (i = 0; i < MANY; i++) {
		options = (struct vbm_handshake_options){.private_data = &i, .private_length = sizeof(i),
							 .timeout_ms = PATIENCE_MS};
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

static void test_connect__many_at_once(void **state)
{
	(void)state;
	many(AF_INET);
	in_rts = 0;
	many(AF_INET6);
}

/* A thread that only polls: no call blocks, and it gets the outcomes, too. */
static void test_collect__never_waits(void **state)
{
	struct sockaddr_storage a = loopback(AF_INET);
	socklen_t len = sizeof(a);
	int silent = socket(AF_INET, SOCK_STREAM, 0), rounds = 0, count = 0;

	(void)state;
	assert_int_equal(bind(silent, (struct sockaddr *)&a, len) || listen(silent, 1), 0);
	getsockname(silent, (struct sockaddr *)&address, &len);
	assert_int_equal(connect_with(&qps[0], &(struct vbm_handshake_options){.timeout_ms = 50}), 0);
	for (; count == 0; rounds++)
		assert_int_equal(vbm_negotiator_collect(n, got, 1, &count), 0);
	assert_true(rounds > 100);
	assert_int_equal(got[0].result, ETIMEDOUT);
	assert_int_equal(got[0].socket, -1);
	assert_int_equal(qps[0].connecting, 0);
	assert_int_equal(given_up, 1);
	assert_non_null(strstr(qps[0].error.msg, "silent"));
	close(silent);
}

/* The time limit of a step ends a silent client, and a connect(2) without an answer. */
static void test_time__of_a_peer_that_never_begins(void **state)
{
	static const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
	struct sockaddr_storage a = loopback(AF_INET);
	socklen_t len = sizeof(a);
	int silent = socket(AF_INET, SOCK_STREAM, 0), full = socket(AF_INET, SOCK_STREAM, 0);
	int first = socket(AF_INET, SOCK_STREAM, 0);
	char byte;

	(void)state;
	listen_at(AF_INET, &(struct vbm_listen_options){.handshake.timeout_ms = 30});
	setsockopt(silent, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	assert_int_equal(connect(silent, (struct sockaddr *)&address, len), 0);
	assert_int_equal(recv(silent, &byte, 1, 0), 0);
	/* A backlog of one: Linux answers no further client. */
	assert_int_equal(bind(full, (struct sockaddr *)&a, len) || listen(full, 0), 0);
	getsockname(full, (struct sockaddr *)&address, &len);
	assert_int_equal(connect(first, (struct sockaddr *)&address, len), 0);
	assert_int_equal(connect_with(&qps[0], &(struct vbm_handshake_options){.timeout_ms = 30}), 0);
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
static void test_notify__is_quiet_until_the_next_outcome(void **state)
{
	struct pollfd p = {.events = POLLIN};
	int listener, i, k, count;

	(void)state;
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

static void test_versions__are_tried_in_turn(void **state)
{
	struct vbm_listen_options only_0 = {.handshake.version = VBM_HANDSHAKE_ONLY_0};
	struct vbm_handshake_options with_data = {.private_data = "x", .private_length = 1};
	int listener = listen_at(AF_INET, &only_0);

	(void)state;
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
static void test_flood__of_silence(void **state)
{
	struct vbm_listen_options few = {.max_pending = 4, .grace_ms = 20,
					 .handshake.timeout_ms = PATIENCE_MS};
	int listener = listen_at(AF_INET, &few), silent[40], i;

	(void)state;
	for (i = 0; i < 40; i++) {
		silent[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(connect(silent[i], (struct sockaddr *)&address, sizeof(struct sockaddr_in)), 0);
	}
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	assert_int_equal(connect_with(&qps[1], &(struct vbm_handshake_options){.timeout_ms = PATIENCE_MS}), 0);
	collect(2);
	assert_int_equal(of(&qps[0], 2)->result, 0);
	assert_int_equal(of(&qps[1], 2)->result, 0);
	close_all(2);
	for (i = 0; i < 40; i++)
		close(silent[i]);
}

static int listen_everywhere(struct sockaddr_storage *four, struct sockaddr_storage *six)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
	struct vbm_listen_options patient = {.handshake.timeout_ms = PATIENCE_MS};
	in_port_t port;
	int listener;

	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&any, &patient, NULL, &listener), 0);
	collect(1);
	assert_int_equal(got[0].result, 0);
	port = ((struct sockaddr_in6 *)&got[0].address)->sin6_port;
	*four = loopback(AF_INET);
	*six = loopback(AF_INET6);
	((struct sockaddr_in *)four)->sin_port = port;
	((struct sockaddr_in6 *)six)->sin6_port = port;
	return listener;
}

static int connect_at(struct vbm_qp *qp, const struct sockaddr_storage *at)
{
	struct vbm_handshake_options patient = {.timeout_ms = PATIENCE_MS};

	return vbm_negotiator_connect(n, qp, (const struct sockaddr *)at, &patient, qp);
}

/* A client gets a queue pair of the address at which it came, whatever the order is. */
static void test_gid__of_the_address_that_the_client_chose(void **state)
{
	struct sockaddr_storage four, six;
	int listener = listen_everywhere(&four, &six), i, count;

	(void)state;
	set_gids(0, 2, AF_INET);	/* 0 and 1: servers; 2 and 3: clients */
	set_gids(1, 1, AF_INET6);
	set_gids(3, 1, AF_INET6);
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	assert_int_equal(connect_at(&qps[3], &six), 0);
	/* When the client is cancelled, it has been waiting, and the queue pair of IPv4 is still there. */
	vbm_negotiator_offer(n, listener + 1, &qps[4], NULL);
	collect(1);
	assert_int_equal(got[0].result, ENOENT);
	vbm_negotiator_collect(n, got, 1, &count);
	assert_int_equal(count, 0);
	vbm_negotiator_offer(n, listener, &qps[1], NULL);
	collect(2);
	assert_int_equal(of(&qps[1], 2)->result, 0);
	assert_int_equal(of(&qps[3], 2)->result, 0);
	close_all(2);
	assert_int_equal(connect_at(&qps[2], &four), 0);
	collect(2);
	for (i = 0; i < 2; i++)
		assert_int_equal(got[i].result, 0);
	assert_int_equal(qps[2].peer.qp_num, qps[0].local.qp_num);
	close_all(2);
}

/* The first message of a client that speaks for a third host. */
static void speak_for(int s, const union ibv_gid *gid)
{
	struct handshake_message m = {
		.version = 1, .flag = HANDSHAKE_SYNC,
		.client = {.address = {.qp_num = 273, .gid = *gid}, .psn = 1, .mtu = IBV_MTU_1024},
	};
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	size_t length = vbm_handshake_encode(bytes, &m);

	assert_int_equal(send(s, bytes, length, 0), length);
}

/* Whichever address of the server it chooses, no queue pair of the server moves. */
static void test_gid__of_a_third_host(void **state)
{
	static const union ibv_gid third = {.raw = {[10] = 0xff, 0xff, 192, 0, 2, 3}};
	struct sockaddr_storage four, six;
	int listener = listen_everywhere(&four, &six), s[2];
	struct pollfd p = {.events = POLLIN};
	char byte;

	(void)state;
	set_gids(0, 1, AF_INET);
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	s[0] = socket(AF_INET, SOCK_STREAM, 0);
	s[1] = socket(AF_INET6, SOCK_STREAM, 0);
	assert_int_equal(connect(s[0], (struct sockaddr *)&four, sizeof(struct sockaddr_in)), 0);
	assert_int_equal(connect(s[1], (struct sockaddr *)&six, sizeof(struct sockaddr_in6)), 0);
	speak_for(s[1], &third);
	speak_for(s[0], &third);
	/* Of IPv4: closed. By then the thread has had the one of IPv6, which gets no answer. */
	assert_int_equal(recv(s[0], &byte, 1, 0), 0);
	p.fd = s[1];
	assert_int_equal(poll(&p, 1, 0), 0);
	vbm_negotiator_cancel(n, &qps[0]);
	collect(1);
	assert_int_equal(got[0].result, ECANCELED);
	assert_int_equal(in_rts, 0);
	close(s[0]);
	close(s[1]);
}

static void test_gid__that_is_not_the_sockets(void **state)
{
	static const struct vbm_handshake_options any = {.foreign_gid = 1};
	struct vbm_listen_options takes_any = {.handshake.foreign_gid = 1};
	int listener = listen_at(AF_INET, &takes_any);

	(void)state;
	set_gids(0, 2, AF_INET6);
	connect_with(&qps[1], NULL);
	collect(1);
	assert_int_equal(got[0].result, EPROTO);
	assert_non_null(strstr(qps[1].error.msg, "foreign_gid"));
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	connect_with(&qps[1], &any);
	collect(2);
	assert_int_equal(got[0].result, 0);
	assert_int_equal(got[1].result, 0);
	close_all(2);
}

/* A client without a queue pair waits for one, and gets an error if none comes. */
static void test_offer__comes_late_or_never(void **state)
{
	struct vbm_listen_options patient = {.handshake.timeout_ms = PATIENCE_MS};
	struct vbm_listen_options hasty = {.handshake.timeout_ms = 30};
	int listener = listen_at(AF_INET, &patient), count;

	(void)state;
	connect_with(&qps[1], &(struct vbm_handshake_options){.timeout_ms = PATIENCE_MS});
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
	connect_with(&qps[1], &(struct vbm_handshake_options){.timeout_ms = PATIENCE_MS});
	collect(1);
	assert_int_equal(got[0].result, EBUSY);
}

static void test_cancel__at_each_place(void **state)
{
	int listener = listen_at(AF_INET, NULL), i;

	(void)state;
	assert_int_equal(vbm_negotiator_cancel(n, &qps[0]), ENOENT);
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	assert_int_equal(vbm_negotiator_cancel(n, &qps[0]), 0);
	collect(1);
	assert_int_equal(got[0].result, ECANCELED);
	/* No queue pair is offered: the client waits for its answer. */
	connect_with(&qps[1], NULL);
	assert_int_equal(vbm_negotiator_cancel(n, &qps[1]), 0);
	assert_int_equal(vbm_negotiator_cancel(n, &qps[1]), 0);
	collect(1);
	assert_int_equal(got[0].result, ECANCELED);
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

static void test_close__ends_what_the_listener_has(void **state)
{
	int listener = listen_at(AF_INET, NULL), i;

	(void)state;
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

static void test_failure__of_the_two_calls__reaches_both(void **state)
{
	int listener = listen_at(AF_INET, NULL);

	(void)state;
	refuse_rts = ENETUNREACH;
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	connect_with(&qps[1], &(struct vbm_handshake_options){.version = VBM_HANDSHAKE_ONLY_1});
	collect(2);
	assert_int_equal(of(&qps[0], 2)->result, ENETUNREACH);
	assert_int_equal(of(&qps[1], 2)->result, ECONNRESET);
	assert_int_equal(given_up, 2);
}

/* stop() below checks that nothing is left. */
static void test_destroy__with_all_under_way(void **state)
{
	int listener = listen_at(AF_INET, NULL), i, round;

	(void)state;
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 2 * round; i++) {
			vbm_negotiator_offer(n, listener, &qps[MANY + i], NULL);
			connect_with(&qps[i], NULL);
		}
		vbm_destroy_negotiator(n);
		assert_int_equal(qps[0].negotiation, 0);
		assert_int_equal(qps[MANY].connecting, 0);
		assert_int_equal(vbm_negotiator_make(&n, 0, &verbs, NULL), 0);
		listener = listen_at(AF_INET, NULL);
	}
}

/* What the negotiator has is not the program's to change. */
static void test_calls__on_a_queue_pair_in_a_handshake(void **state)
{
	int listener = listen_at(AF_INET, NULL);
	struct ibv_qp verbs_qp = {.state = IBV_QPS_INIT};

	(void)state;
	qps[0].qp = &verbs_qp;
	assert_int_equal(vbm_negotiator_offer(n, listener, &qps[0], NULL), 0);
	assert_int_equal(vbm_destroy_qp(&qps[0]), EBUSY);
	assert_string_equal(qps[0].error.msg, "queue pair 2 is in a handshake: wait for its end, or cancel it");
	assert_int_equal(vbm_qp_to_init(&qps[0]), EBUSY);
	assert_int_equal(vbm_qp_to_rtr(&qps[0]), EBUSY);
	assert_int_equal(vbm_qp_to_rts(&qps[0]), EBUSY);
	assert_int_equal(vbm_modify_qp_to_rts(&qps[0]), EBUSY);
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

static void test_full__is_eagain(void **state)
{
	int listener = listen_at(AF_INET, NULL), i, other;

	(void)state;
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

static void test_arguments(void **state)
{
	struct sockaddr_storage local = {.ss_family = AF_UNIX};
	struct vbm_handshake_options asks = {.request = word}, wide = {.private_length = 193};
	struct vbm_listen_options listens = {.handshake.request = word};
	struct vbm_negotiator *other;
	int listener = listen_at(AF_INET, NULL), count;

	(void)state;
	assert_int_equal(vbm_create_negotiator(NULL, 0, NULL), EINVAL);
	assert_int_equal(vbm_create_negotiator(&other, 1u << 21, NULL), EINVAL);
	assert_null(other);
	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&address, &listens, NULL, &count), EINVAL);
	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&local, NULL, NULL, &count), EAFNOSUPPORT);
	assert_int_equal(vbm_negotiator_listen(n, NULL, NULL, NULL, &count), EINVAL);
	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&address, NULL, NULL, &count), 0);
	collect(1);
	assert_int_equal(got[0].result, EADDRINUSE);
	assert_int_equal(connect_with(&qps[0], &asks), EINVAL);
	assert_int_equal(connect_with(&qps[0], &wide), EINVAL);
	assert_int_equal(connect_with(NULL, NULL), EINVAL);
	assert_int_equal(vbm_negotiator_offer(n, listener, NULL, NULL), EINVAL);
	assert_int_equal(vbm_negotiator_collect(n, got, 0, &count), EINVAL);
	assert_int_equal(vbm_negotiator_wait(n, got, 1, 0, &count), ETIMEDOUT);
	assert_int_equal(vbm_negotiator_fd(NULL), -1);
	assert_int_equal(vbm_negotiator_notify(NULL), EINVAL);
	assert_int_equal(vbm_destroy_negotiator(NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
VBM_TESTS(TEST(test_connect__many_at_once),
	  TEST(test_collect__never_waits),
	  TEST(test_time__of_a_peer_that_never_begins),
	  TEST(test_notify__is_quiet_until_the_next_outcome),
	  TEST(test_versions__are_tried_in_turn),
	  TEST(test_flood__of_silence),
	  TEST(test_gid__of_the_address_that_the_client_chose),
	  TEST(test_gid__of_a_third_host),
	  TEST(test_gid__that_is_not_the_sockets),
	  TEST(test_offer__comes_late_or_never),
	  TEST(test_cancel__at_each_place),
	  TEST(test_close__ends_what_the_listener_has),
	  TEST(test_failure__of_the_two_calls__reaches_both),
	  TEST(test_destroy__with_all_under_way),
	  TEST(test_calls__on_a_queue_pair_in_a_handshake),
	  cmocka_unit_test_setup_teardown(test_full__is_eagain, start_small, stop),
	  TEST(test_arguments));
