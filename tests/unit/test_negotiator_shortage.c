/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/negotiator*.c lib/handshake/negotiation*.c lib/handshake/listener.c lib/handshake/door.c */
/*
 * The n-th allocation, descriptor or thread of a negotiator fails, for each n. Every
 * request still ends, with a code that the page lists, and nothing is left. On this host's
 * loopback, without a device, like test_negotiator.c.
 */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "../help/descriptors.h"
#include "../help/no-device.h"
#include "../help/shortage.h"

#define PATIENCE_MS 60000

static int in_rts, given_up, in_loop, rejects, asked, overs;
static enum shortage_of of;
static int create_failed[EMFILE + 1];	/* number of failures of vbm_create_negotiator() with each code */

static int to_rts(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error)
{
	__atomic_add_fetch(&in_rts, 1, __ATOMIC_RELAXED);	/* in any thread */
	return no_device_to_rts(h, qp, error);
}

static void give_up(struct vbm_qp *qp)
{
	(void)qp;
	given_up++;
}

static const struct negotiator_verbs verbs = {no_device_in_init, to_rts, give_up, NULL};
static struct vbm_qp client, server;
static struct vbm_listen_options listening;
static struct vbm_handshake_options connecting;

static bool is_any(int rc, const int *codes)
{
	while (*codes && *codes != rc)
		codes++;
	return rc == *codes;
}

/* A word of one byte from each end. */
static int ask(void *context, struct vbm_handshake_auth *auth)
{
	char byte;
	ssize_t n;

	(void)context;
	if (auth->is_over) {
		__atomic_add_fetch(&overs, 1, __ATOMIC_RELAXED);	/* in any thread */
		return 0;
	}
	if (!auth->room[0] && send(auth->socket, "x", 1, MSG_NOSIGNAL) != 1)
		return errno;
	if (!auth->room[0])
		__atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
	auth->room[0] = 1;
	n = recv(auth->socket, &byte, 1, 0);
	return n == 1 ? 0 : n ? errno : ECONNRESET;
}

/* Each client that comes is accepted, or rejected; one that has gone does not matter. */
static void collect(struct vbm_negotiator *n, struct vbm_outcome *o)
{
	int count = 0;

	do {
		assert_int_equal(vbm_negotiator_wait(n, o, 1, PATIENCE_MS, &count), 0);
		assert_int_equal(count, 1);
		if (o->kind == VBM_OUTCOME_REQUEST && rejects)
			assert_int_equal(vbm_negotiator_reject(n, o->request, "no", 2), 0);
		else if (o->kind == VBM_OUTCOME_REQUEST)
			assert_int_equal(vbm_negotiator_accept(n, o->request, NULL, "word", 4, NULL), 0);
	} while (o->kind == VBM_OUTCOME_REQUEST);
}

static int listens(struct vbm_negotiator *n, struct sockaddr_storage *at, int *listener)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct vbm_outcome o;

	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&in, &listening, NULL, listener), 0);
	collect(n, &o);
	assert_int_equal(o.kind, VBM_OUTCOME_LISTENING);
	*at = o.address;
	return o.result;
}

/* Connect both ends. An end whose partner has failed is cancelled. */
static void connects(struct vbm_negotiator *n, const struct sockaddr_storage *at, int listener,
		     int *of_client, int *of_server)
{
	struct vbm_outcome first, second;
	bool is_client;

	assert_int_equal(vbm_negotiator_offer(n, listener, &server, NULL), 0);
	assert_int_equal(vbm_negotiator_connect(n, &client, (const struct sockaddr *)at, &connecting, NULL), 0);
	collect(n, &first);
	is_client = first.qp == &client;
	if (first.result)
		assert_int_equal(vbm_negotiator_cancel(n, is_client ? &server : &client), 0);
	collect(n, &second);
	*of_client = is_client ? first.result : second.result;
	*of_server = is_client ? second.result : first.result;
	if (first.socket >= 0)
		close(first.socket);
	if (second.socket >= 0)
		close(second.socket);
}

/*
 * The life of a negotiator. Failures must have a code of @codes. Returns whether something
 * failed.
 */
static bool live(int n_th, const int *codes)
{
	struct vbm_negotiator *n = NULL;
	struct sockaddr_storage at;
	int listener, rc, of_client = 0, of_server = 0;
	struct vbm_negotiator_options eight = {.size = sizeof(eight), .depth = 8, .in_loop = in_loop};
	struct vbm_error error;
	struct vbm_outcome o;
	bool came;

	in_rts = given_up = asked = overs = 0;
	shortage_begin(of, n_th);
	rc = vbm_negotiator_make(&n, &eight, &verbs, &error);
	assert_true(!rc == (n != NULL));
	assert_true(!rc || error.code == rc);
	create_failed[rc <= EMFILE ? rc : 0]++;
	rc = rc ? rc : listens(n, &at, &listener);
	if (rc == 0) {
		connects(n, &at, listener, &of_client, &of_server);
		assert_true(in_rts == 2 || of_client || of_server);
		assert_true(given_up == 0 || of_client || of_server);
		vbm_negotiator_close(n, listener, NULL);
		collect(n, &o);
		assert_int_equal(o.result, 0);
	}
	came = shortage_end();
	if (!came && (rc || of_client != (rejects ? ECONNREFUSED : 0) || of_server != (rejects ? ECANCELED : 0)))
		fail_msg("nothing failed, and yet %d, %d, %d", rc, of_client, of_server);
	if (!is_any(rc, codes) || !is_any(of_client, codes) || !is_any(of_server, codes))
		fail_msg("call %d: %d; %d %s; %d %s", n_th, rc, of_client, client.error.msg, of_server,
			 server.error.msg);
	/* A server's queue pair only waits for a client. */
	if (of_server && (of_server != ECANCELED || !of_client))
		fail_msg("call %d: the client has %d, and the server %d", n_th, of_client, of_server);
	vbm_destroy_negotiator(n);
	assert_true(overs >= asked);
	assert_int_equal(client.negotiation || client.connecting || server.connecting, 0);
	return came;
}

/* For each n, until nothing fails any more. */
static void sweep(const int *codes, int least)
{
	int before = open_descriptors(), n;
	long blocks = shortage_process_blocks();
	bool came = true;

	for (n = 0; came; n++) {
		came = live(n, codes);
		if (open_descriptors() != before || shortage_process_blocks() != blocks)
			fail_msg("call %d: %d descriptors and %ld blocks are left", n,
				 open_descriptors() - before, shortage_process_blocks() - blocks);
	}
	if (n <= least)
		fail_msg("%d calls, not %d", n, least);
}

static int start_both(void **state)
{
	(void)state;
	rejects = 0;
	of = SHORTAGE_OF_PROCESS;
	memset(&client, 0, sizeof(client));
	memset(&server, 0, sizeof(server));
	client.local.qp_num = 2;
	server.local.qp_num = 3;
	client.local.gid = server.local.gid = (union ibv_gid){.raw = {[10] = 0xff, 0xff, 127, 0, 0, 1}};
	client.options.mtu = server.options.mtu = 1024;
	listening = (struct vbm_listen_options){.size = sizeof(struct vbm_listen_options), .handshake.timeout_ms = PATIENCE_MS};
	connecting = (struct vbm_handshake_options){.size = sizeof(struct vbm_handshake_options), .timeout_ms = PATIENCE_MS};
	return 0;
}

static int start(void **state)
{
	in_loop = 0;
	return start_both(state);
}

static int start_in_loop(void **state)
{
	in_loop = 1;
	return start_both(state);
}

#define TEST_BOTH(name)                                                       \
	static void name(void **state);                                       \
	TEST_ADD(name, name, start, NULL)                                     \
	TEST_ADD(name##__in_loop, name, start_in_loop, NULL)                  \
	static void name(void **state __attribute__((unused)))

/* A shortage at the server's end makes the client wait a little; its connection is never closed. */
TEST_BOTH(test_shortage__of_everything)
{
	static const int codes[] = {ENOMEM, EMFILE, EAGAIN, ECANCELED, 0};

	if (!SHORTAGE_WORKS)
		skip();
	/* Objects that are made once per process are not counted. */
	live(1 << 20, codes);
	sweep(codes, in_loop ? 14 : 20);
	assert_true(create_failed[ENOMEM] > 0);
	assert_true(create_failed[EMFILE] > 0);
	assert_true(in_loop || create_failed[EAGAIN] > 0);
}

TEST_BOTH(test_shortage__with_version_1_only)
{
	static const int codes[] = {ENOMEM, EMFILE, EAGAIN, ECANCELED, 0};

	if (!SHORTAGE_WORKS)
		skip();
	connecting.version = VBM_HANDSHAKE_ONLY_1;
	connecting.private_data = "word";
	connecting.private_length = 4;
	live(1 << 20, codes);
	sweep(codes, in_loop ? 14 : 20);
}

/*
 * A client connects to a server of version 0 a second time, and the second connection may
 * fail as well.
 */
TEST_BOTH(test_shortage__with_a_second_connection)
{
	static const int codes[] = {ENOMEM, EMFILE, EAGAIN, ECANCELED, 0};

	if (!SHORTAGE_WORKS)
		skip();
	listening.handshake.version = VBM_HANDSHAKE_ONLY_0;
	live(1 << 20, codes);
	sweep(codes, in_loop ? 16 : 22);
}

/* Without a thread or its descriptor the call is made in place. */
TEST_BOTH(test_shortage__with_calls_in_other_threads)
{
	static const int codes[] = {ENOMEM, EMFILE, EAGAIN, ECANCELED, 0};

	if (!SHORTAGE_WORKS)
		skip();
	listening.handshake.foreign_gid = connecting.foreign_gid = 1;
	live(1 << 20, codes);
	sweep(codes, in_loop ? 18 : 24);
}

/* The program's decision about a client. */
TEST_BOTH(test_shortage__with_a_decision)
{
	static const int codes[] = {ENOMEM, EMFILE, EAGAIN, ECANCELED, 0};

	if (!SHORTAGE_WORKS)
		skip();
	listening.decide = 1;
	live(1 << 20, codes);
	sweep(codes, in_loop ? 14 : 20);
}

/* The program refuses the client, which finds out. */
TEST_BOTH(test_shortage__with_a_rejection)
{
	static const int codes[] = {ENOMEM, EMFILE, EAGAIN, ECANCELED, ECONNREFUSED, 0};

	if (!SHORTAGE_WORKS)
		skip();
	listening.decide = rejects = 1;
	live(1 << 20, codes);
	sweep(codes, in_loop ? 14 : 20);
}

TEST_BOTH(test_shortage__while_the_peer_is_unknown)
{
	static const int codes[] = {ENOMEM, EMFILE, EAGAIN, ECANCELED, 0};

	if (!SHORTAGE_WORKS)
		skip();
	listening.handshake.authenticate = connecting.authenticate = ask;
	live(1 << 20, codes);
	sweep(codes, in_loop ? 16 : 22);
}

/*
 * When there is no memory for epoll, a listener loses no client: one end fails only when it
 * is the client's own, and says ENOMEM.
 */
TEST_BOTH(test_watches__of_all_kinds)
{
	static const int codes[] = {ENOMEM, ECANCELED, 0};

	if (!SHORTAGE_WORKS)
		skip();
	of = SHORTAGE_OF_WATCHES;
	connecting.version = VBM_HANDSHAKE_ONLY_1;	/* and no second try */
	for (int kind = 0; kind < 4; kind++) {
		listening.decide = kind & 1;
		listening.handshake.authenticate = connecting.authenticate = kind & 2 ? ask : NULL;
		sweep(codes, in_loop ? 2 : 3);
	}
}
