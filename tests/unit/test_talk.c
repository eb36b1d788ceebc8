/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/talk.c lib/handshake/auth.c examples/ */
/*
 * The part of a handshake before its first message: the program finds out who the peer is,
 * and may interrupt the call. No queue pair is moved, so there is no device.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../examples/hmac-sha256.h"
#include "../help/descriptors.h"
#include "lib/handshake/message.h"
#include "lib/handshake/talk.h"
#include "lib/qp/qp.h"

static struct ibv_qp verbs_qp = {.state = IBV_QPS_INIT};
static struct vbm_qp qp;
static struct vbm_handshake_options options;
static int ends[2], before;

/* Records about the program's function. */
static int calls, overs, answer;
static uint64_t seen;

static int start(void **state)
{
	(void)state;
	before = open_descriptors();
	memset(&qp, 0, sizeof(qp));
	qp.qp = &verbs_qp;
	qp.local.qp_num = 7;
	qp.options.mtu = 1024;
	vbm_handshake_options_init(&options);
	calls = overs = answer = 0;
	seen = 0;
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

static int stop(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return open_descriptors() != before;
}

UNIT(.each = {start, stop});

static int authenticate(void *context, struct vbm_handshake_auth *auth)
{
	assert_ptr_equal(context, &seen);
	assert_int_equal(auth->socket, ends[0]);
	if (auth->is_over) {
		overs++;
		return EDOM;
	}
	assert_int_equal(auth->room[0], calls);
	auth->room[0] = (uint64_t)++calls;
	return answer;
}

/* Asks for a word of four bytes, which may come in pieces, and answers with one byte. */
static int ask_word(void *context, struct vbm_handshake_auth *auth)
{
	char *word = (char *)&auth->room[1];
	ssize_t n;

	(void)context;
	overs += auth->is_over;
	calls += !auth->is_over;
	if (auth->is_over)
		return 0;
	n = recv(auth->socket, word + auth->room[0], 4 - auth->room[0], MSG_DONTWAIT);
	if (n <= 0)
		return n ? errno : ECONNRESET;
	auth->room[0] += (uint64_t)n;
	if (auth->room[0] < 4)
		return EAGAIN;
	return memcmp(word, "word", 4) == 0 && send(auth->socket, "k", 1, MSG_NOSIGNAL) == 1 ? 0 : EACCES;
}

static size_t peer_has(void)
{
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	ssize_t n = recv(ends[1], bytes, sizeof(bytes), MSG_DONTWAIT);

	return n > 0 ? (size_t)n : 0;
}

TEST(test_authenticate__who_is_not_the_right_one)
{
	int is_client;

	options.authenticate = authenticate;
	options.context = &seen;
	for (is_client = 0; is_client < 2; is_client++) {
		calls = overs = 0;
		answer = EACCES;
		assert_int_equal((is_client ? vbm_handshake_client : vbm_handshake_server)(&qp, ends[0], &options, NULL),
				 EACCES);
		assert_string_equal(qp.error.msg, "the program refused the peer of queue pair 7: Permission denied");
		assert_int_equal(calls, 1);
		assert_int_equal(overs, 1);
		assert_int_equal(qp.connecting, 0);
		assert_int_equal(peer_has(), 0);
	}
}

/* The first message comes after it. */
TEST(test_authenticate__in_pieces)
{
	struct handshake_talk t;

	options.authenticate = ask_word;
	vbm_talk_begin(&t, true, &qp, ends[0], &options);
	assert_false(t.is_over);
	assert_int_equal(t.events, POLLIN);
	assert_int_equal(qp.connecting, 1);
	assert_int_equal(send(ends[1], "wo", 2, 0), 2);
	vbm_talk_go(&t);
	assert_false(t.is_over);
	assert_int_equal(peer_has(), 0);
	assert_int_equal(send(ends[1], "rd", 2, 0), 2);
	vbm_talk_go(&t);
	assert_false(t.is_over);
	assert_int_equal(calls, 3);
	assert_int_equal(overs, 1);
	assert_int_equal(peer_has(), 1 + HANDSHAKE_BYTES_1);
	vbm_talk_drop(&t);
	assert_true(t.is_over);
	assert_int_equal(overs, 1);
	assert_int_equal(qp.connecting, 0);
}

TEST(test_authenticate__given_up)
{
	struct handshake_talk t;

	options.authenticate = ask_word;
	vbm_talk_begin(&t, true, &qp, ends[0], &options);
	vbm_talk_drop(&t);
	assert_int_equal(overs, 1);
	vbm_talk_begin(&t, false, &qp, ends[0], &options);
	assert_int_equal(vbm_talk_time_is_up(&t), ETIMEDOUT);
	assert_true(t.is_over);
	assert_int_equal(overs, 2);
	options.timeout_ms = 1;
	assert_int_equal(vbm_handshake_server(&qp, ends[0], &options, NULL), ETIMEDOUT);
	assert_int_equal(overs, 3);
	assert_int_equal(qp.connecting, 0);
}

static int wait_for_nothing(void *context, struct vbm_handshake_auth *auth)
{
	(void)context;
	auth->events = 0;
	return EAGAIN;
}

TEST(test_authenticate__waits_for_something)
{
	options.authenticate = wait_for_nothing;
	assert_int_equal(vbm_handshake_client(&qp, ends[0], &options, NULL), EINVAL);
}

TEST(test_interrupt__ends_the_wait)
{
	uint64_t times;

	options.interrupt = eventfd(1, EFD_CLOEXEC);
	assert_int_equal(vbm_handshake_server(&qp, ends[0], &options, NULL), ECANCELED);
	assert_string_equal(qp.error.msg, "the program has interrupted the handshake");
	assert_int_equal(vbm_handshake_client(&qp, ends[0], &options, NULL), ECANCELED);
	assert_int_equal(qp.connecting, 0);
	assert_int_equal(read(options.interrupt, &times, sizeof(times)), sizeof(times));
	options.timeout_ms = 1;
	assert_int_equal(vbm_handshake_server(&qp, ends[0], &options, NULL), ETIMEDOUT);
	close(options.interrupt);
}

/* The socket is the program's, and keeps the settings. */
TEST(test_settings__of_the_socket)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), value = -1;
	socklen_t len = sizeof(value);

	options.foreign_gid = 1;
	options.keepalive_ms = 7000;
	qp.options.traffic_class = 0x68;
	assert_int_not_equal(vbm_handshake_client(&qp, s, &options, NULL), 0);
	assert_int_equal(getsockopt(s, IPPROTO_TCP, TCP_USER_TIMEOUT, &value, &len), 0);
	assert_int_equal(value, 7000);
	assert_int_equal(getsockopt(s, IPPROTO_IP, IP_TOS, &value, &len), 0);
	assert_int_equal(value, 0x68);
	close(s);
}

/* RFC 4231, test cases 1 and 2, and a text of several blocks (case 3). */
TEST(test_hmac__of_the_example)
{
	static const uint8_t first[] = {0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53}, ff[] = {0x5b, 0xdc, 0xc1, 0x46},
		third[] = {0x77, 0x3e, 0xa9, 0x1e, 0x36, 0x80, 0x0e, 0x46};
	uint8_t key[20], out[SHA256_BYTES], dd[50];

	memset(key, 0x0b, sizeof(key));
	hmac_sha256(key, sizeof(key), "Hi There", 8, out);
	assert_memory_equal(out, first, sizeof(first));
	hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, out);
	assert_memory_equal(out, ff, sizeof(ff));
	memset(key, 0xaa, sizeof(key));
	memset(dd, 0xdd, sizeof(dd));
	hmac_sha256(key, sizeof(key), dd, sizeof(dd), out);
	assert_memory_equal(out, third, sizeof(third));
}
