/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/negotiation*.c lib/handshake/listener.c lib/handshake/auth.c */
/*
 * A negotiator whose program finds out who the peers are, over their sockets, before the
 * first message; and sockets that notice a silent peer. See negotiator-setup.h.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "negotiator-setup.h"

/* The program's function at one end: what it does, and did. */
struct side {
	int calls, overs;	/* atomic */
	int result;		/* 0: exchange a byte with the peer */
	int wrong;
};

static struct side client, server;

static int add(int *count)
{
	return __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

static int overs(const struct side *side)
{
	return __atomic_load_n(&side->overs, __ATOMIC_RELAXED);
}

/* Each end sends a byte and waits for the other's. */
static int ask(void *context, struct vbm_handshake_auth *auth)
{
	struct side *side = context;
	char byte;
	ssize_t length;

	note_thread();
	side->wrong += auth->is_client != (side == &client);
	if (auth->is_over) {
		add(&side->overs);
		return EDOM;
	}
	add(&side->calls);
	if (side->result)
		return side->result;
	if (!auth->room[0] && send(auth->socket, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
		return errno;
	auth->room[0] = 1;
	length = recv(auth->socket, &byte, 1, MSG_DONTWAIT);
	if (length <= 0)
		return length ? errno : ECONNRESET;
	return byte == 'x' ? 0 : EACCES;
}

#define ASKS(of_side, ...) WITH(.authenticate = ask, .context = &(of_side), __VA_ARGS__)

/* A listener that asks, with an offer. */
static int listen_asking(struct vbm_listen_options o)
{
	int listener;

	memset(&client, 0, sizeof(client));
	memset(&server, 0, sizeof(server));
	o.size = sizeof(o);
	o.handshake.authenticate = ask;
	o.handshake.context = &server;
	listener = listen_at(AF_INET, &o);
	assert_int_equal(vbm_negotiator_offer(n, listener, &qps[MANY], NULL), 0);
	return listener;
}

static int dial(void)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(s, (struct sockaddr *)&address, sizeof(struct sockaddr_in)), 0);
	return s;
}

/* The server's byte. A negotiator in the program's loop works meanwhile. */
static void hear(int s)
{
	int count = 0, rc;
	char byte;

	while (recv(s, &byte, 1, MSG_DONTWAIT) != 1) {
		rc = vbm_negotiator_wait(n, got, 1, 1, &count);
		assert_true(rc == ETIMEDOUT || rc == EINTR);
	}
}

/* A good client gets the offer. */
static void connects(void)
{
	assert_int_equal(connect_with(&qps[0], ASKS(client, .timeout_ms = PATIENCE_MS)), 0);
	collect(2);
	assert_int_equal(of(&qps[0], 2)->result, 0);
	assert_int_equal(of(&qps[MANY], 2)->result, 0);
	close_all(2);
	assert_int_equal(client.wrong + server.wrong, 0);
}

TEST_BOTH(test_authenticate__by_both_ends)
{
	listen_asking((struct vbm_listen_options){.handshake.timeout_ms = PATIENCE_MS});
	connects();
	assert_int_equal(overs(&client), 1);
	assert_int_equal(overs(&server), 1);
	assert_true(client.calls >= 1 && server.calls >= 1);
}

/* A client that the program refuses has no outcome, and uses up no offer. */
TEST_BOTH(test_authenticate__refuses_clients)
{
	int i, s;

	listen_asking((struct vbm_listen_options){.handshake.timeout_ms = PATIENCE_MS});
	for (i = 1; i < 6; i++) {
		s = dial();
		assert_int_equal(send(s, "y", 1, 0), 1);
		hear(s);
		assert_true(has_closed(s));
		close(s);
		assert_int_equal(overs(&server), i);
	}
	assert_int_equal(in_rts, 0);
	connects();
	assert_int_equal(overs(&server), i);
}

TEST_BOTH(test_authenticate__refuses_a_server)
{
	listen_asking((struct vbm_listen_options){.handshake.timeout_ms = PATIENCE_MS});
	client.result = EACCES;
	assert_int_equal(connect_with(&qps[0], ASKS(client)), 0);
	collect(1);
	assert_ptr_equal(got[0].qp, &qps[0]);
	assert_int_equal(got[0].result, EACCES);
	assert_int_equal(got[0].socket, -1);
	assert_string_equal(qps[0].error.msg, "the program refused the peer: Permission denied");
	assert_int_equal(overs(&client), 1);
	assert_int_equal(in_rts, 0);
	client.result = 0;
	connects();
}

TEST_BOTH(test_authenticate__by_a_client_that_is_too_slow)
{
	int s;

	listen_asking((struct vbm_listen_options){.handshake.timeout_ms = 20});
	s = dial();
	hear(s);
	assert_true(has_closed(s));
	assert_int_equal(overs(&server), 1);
	close(s);
}

TEST_BOTH(test_authenticate__says_who_was_too_slow)
{
	listen_asking((struct vbm_listen_options){.handshake.timeout_ms = PATIENCE_MS});
	server.result = EAGAIN;
	assert_int_equal(connect_with(&qps[0], ASKS(client, .timeout_ms = 1000)), 0);
	collect(1);
	assert_int_equal(got[0].result, ETIMEDOUT);
	assert_string_equal(qps[0].error.msg, "the peer did not identify itself in time: Connection timed out");
}

/* One that does not say who it is gives way to one that does. */
TEST_BOTH(test_authenticate__silence_gives_way)
{
	int s;

	listen_asking((struct vbm_listen_options){.handshake.timeout_ms = PATIENCE_MS, .max_pending = 1, .grace_ms = 1});
	s = dial();
	connects();
	hear(s);
	assert_true(has_closed(s));
	assert_int_equal(overs(&server), 2);
	close(s);
}

/* A function that looks at nothing does not keep the thread awake after the peer has gone. */
TEST_BOTH(test_authenticate__of_a_peer_that_goes)
{
	int s, from;

	listen_asking((struct vbm_listen_options){.handshake.timeout_ms = PATIENCE_MS});
	server.result = EAGAIN;
	s = dial();
	shutdown(s, SHUT_WR);
	assert_true(has_closed(s));
	assert_int_equal(overs(&server), 1);
	close(s);
	/* At the other end. */
	s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	address = loopback(AF_INET);
	assert_int_equal(bind(s, (struct sockaddr *)&address, sizeof(struct sockaddr_in)), 0);
	assert_int_equal(listen(s, 1), 0);
	assert_int_equal(getsockname(s, (struct sockaddr *)&address, &(socklen_t){sizeof(address)}), 0);
	client.result = EAGAIN;
	assert_int_equal(connect_with(&qps[0], ASKS(client, .timeout_ms = PATIENCE_MS)), 0);
	from = accept(s, NULL, NULL);
	close(from);
	collect(1);
	assert_int_equal(got[0].result, ECONNRESET);
	assert_int_equal(overs(&client), 1);
	close(s);
}

/* There is nobody to ask. */
TEST_BOTH(test_authenticate__without_a_server)
{
	memset(&client, 0, sizeof(client));
	address = loopback(AF_INET);
	((struct sockaddr_in *)&address)->sin_port = htons(1);
	assert_int_equal(connect_with(&qps[0], ASKS(client)), 0);
	collect(1);
	assert_int_equal(got[0].result, ECONNREFUSED);
	assert_string_equal(qps[0].error.msg, "connect fails: Connection refused");
	assert_int_equal(client.calls, 0);
	assert_int_equal(overs(&client), 1);
}

/* The second connection is to be authenticated, too. */
TEST_BOTH(test_authenticate__each_connection)
{
	listen_asking((struct vbm_listen_options){
		.handshake.timeout_ms = PATIENCE_MS, .handshake.version = VBM_HANDSHAKE_ONLY_0,
	});
	connects();
	assert_int_equal(overs(&client), 2);
	assert_int_equal(overs(&server), 2);
}

TEST_BOTH(test_authenticate__cancelled)
{
	int s, listener;

	listener = listen_asking((struct vbm_listen_options){.handshake.timeout_ms = PATIENCE_MS});
	server.result = EAGAIN;
	assert_int_equal(connect_with(&qps[0], ASKS(client, .timeout_ms = PATIENCE_MS)), 0);
	assert_int_equal(vbm_negotiator_cancel(n, &qps[0]), 0);
	collect(1);
	assert_int_equal(got[0].result, ECANCELED);
	assert_int_equal(overs(&client), 1);
	s = dial();
	assert_int_equal(vbm_negotiator_close(n, listener, NULL), 0);
	collect(2);
	assert_true(has_closed(s) || errno == ECONNRESET);
	close(s);
	/* The end of the negotiator ends others. */
	listen_asking((struct vbm_listen_options){.handshake.timeout_ms = PATIENCE_MS});
	server.result = EAGAIN;
	assert_int_equal(connect_with(&qps[0], ASKS(client, .timeout_ms = PATIENCE_MS)), 0);
}

/* The descriptor of the listener at @address. */
static int find_listener(void)
{
	struct sockaddr_in at, wanted;
	socklen_t len;
	int fd, is_listener;

	memcpy(&wanted, &address, sizeof(wanted));
	for (fd = 0; fd < 1024; fd++) {
		len = sizeof(is_listener);
		if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listener, &len) || !is_listener)
			continue;
		len = sizeof(at);
		if (getsockname(fd, (struct sockaddr *)&at, &len) == 0 && at.sin_port == wanted.sin_port)
			return fd;
	}
	fail_msg("there is no listener");
	return -1;
}

static int option_of(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

/* The server may speak first, so no client is kept back until it has said something. */
TEST_BOTH(test_authenticate__is_not_kept_back)
{
	listen_at(AF_INET, NULL);
	assert_true(option_of(find_listener(), IPPROTO_TCP, TCP_DEFER_ACCEPT) > 0);
	listen_asking((struct vbm_listen_options){.size = 0});
	assert_int_equal(option_of(find_listener(), IPPROTO_TCP, TCP_DEFER_ACCEPT), 0);
}

/* The sockets of both ends, as the program gets them. */
static void keep_alive(int keepalive_ms)
{
	struct vbm_listen_options o = {.size = sizeof(o), .handshake.keepalive_ms = keepalive_ms};
	int listener = listen_at(AF_INET, &o), i;

	assert_int_equal(vbm_negotiator_offer(n, listener, &qps[MANY], NULL), 0);
	assert_int_equal(connect_with(&qps[0], WITH(.timeout_ms = PATIENCE_MS, .keepalive_ms = keepalive_ms)), 0);
	collect(2);
	for (i = 0; i < 2; i++) {
		assert_int_equal(got[i].result, 0);
		assert_int_equal(option_of(got[i].socket, IPPROTO_TCP, TCP_USER_TIMEOUT), keepalive_ms);
		assert_int_equal(option_of(got[i].socket, SOL_SOCKET, SO_KEEPALIVE), keepalive_ms != 0);
	}
	close_all(2);
}

TEST_BOTH(test_keepalive)
{
	keep_alive(0);
	keep_alive(7000);
}

/* Each socket has the traffic class of its own queue pair, from an offer or of an answer. */
static void of_class(int family, int decide)
{
	static const struct { int level, name; } of_family[] = {{IPPROTO_IP, IP_TOS}, {IPPROTO_IPV6, IPV6_TCLASS}};
	struct vbm_listen_options o = {.size = sizeof(o), .decide = decide, .handshake.timeout_ms = PATIENCE_MS};
	int listener = listen_at(family, &o), i, v6 = family == AF_INET6;

	qps[0].options.traffic_class = 0x68;
	qps[MANY].options.traffic_class = 0x44;
	if (!decide)
		assert_int_equal(vbm_negotiator_offer(n, listener, &qps[MANY], NULL), 0);
	assert_int_equal(connect_with(&qps[0], WITH(.timeout_ms = PATIENCE_MS)), 0);
	if (decide) {
		collect(1);
		assert_int_equal(vbm_negotiator_accept(n, got[0].request, &qps[MANY], NULL, 0, NULL), 0);
	}
	collect(2);
	for (i = 0; i < 2; i++) {
		assert_int_equal(got[i].result, 0);
		assert_int_equal(option_of(got[i].socket, of_family[v6].level, of_family[v6].name),
				 got[i].qp->options.traffic_class);
	}
	close_all(2);
}

TEST_BOTH(test_traffic_class)
{
	for (int decide = 0; decide < 2; decide++) {
		of_class(AF_INET, decide);
		of_class(AF_INET6, decide);
	}
}
