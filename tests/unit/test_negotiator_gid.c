/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/negotiation*.c lib/handshake/negotiator-thread.c lib/handshake/drive.c */
/* The GIDs of a negotiator's queue pairs, whichever address of the host a client chooses. */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "negotiator-setup.h"

static int listen_everywhere(struct sockaddr_storage *four, struct sockaddr_storage *six)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
	struct vbm_listen_options patient = {.size = sizeof(patient), .handshake.timeout_ms = PATIENCE_MS};
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
	struct vbm_handshake_options patient = {.size = sizeof(patient), .timeout_ms = PATIENCE_MS};

	return vbm_negotiator_connect(n, qp, (const struct sockaddr *)at, &patient, qp);
}

/* A client gets a queue pair of the address at which it came, whatever the order is. */
TEST_BOTH(test_gid__of_the_address_that_the_client_chose)
{
	struct sockaddr_storage four, six;
	int listener = listen_everywhere(&four, &six), i, count;

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
TEST_BOTH(test_gid__of_a_third_host)
{
	static const union ibv_gid third = {.raw = {[10] = 0xff, 0xff, 192, 0, 2, 3}};
	struct sockaddr_storage four, six;
	int listener = listen_everywhere(&four, &six), s[2];

	set_gids(0, 1, AF_INET);
	vbm_negotiator_offer(n, listener, &qps[0], NULL);
	s[0] = socket(AF_INET, SOCK_STREAM, 0);
	s[1] = socket(AF_INET6, SOCK_STREAM, 0);
	assert_int_equal(connect(s[0], (struct sockaddr *)&four, sizeof(struct sockaddr_in)), 0);
	assert_int_equal(connect(s[1], (struct sockaddr *)&six, sizeof(struct sockaddr_in6)), 0);
	speak_for(s[1], &third);
	speak_for(s[0], &third);
	assert_true(has_closed(s[0]));
	assert_true(has_closed(s[1]));
	vbm_negotiator_cancel(n, &qps[0]);
	collect(1);
	assert_int_equal(got[0].result, ECANCELED);
	assert_int_equal(in_rts, 0);
	close(s[0]);
	close(s[1]);
}

TEST_BOTH(test_gid__that_is_not_the_sockets)
{
	static const struct vbm_handshake_options any = {.size = sizeof(any), .foreign_gid = 1};
	struct vbm_listen_options takes_any = {.size = sizeof(takes_any), .handshake.foreign_gid = 1};
	int listener = listen_at(AF_INET, &takes_any);

	slow_call = any_thread;	/* other threads make the call */
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
