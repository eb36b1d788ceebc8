/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/endpoint/callers.c lib/handshake/door.c */
/* The callers of a listener, on this host's loopback and without a device. */
#include "cmocka_all.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../help/descriptors.h"
#include "lib/base/loop.h"
#include "lib/endpoint/callers.h"
#include "lib/handshake/drive.h"

#define PATIENCE_MS 60000
#define ROOM 8
#define IDLE 30		/* more than there is room for */

static struct sockaddr_in at;
static struct callers callers;
static int listener, before;

static int start_with(int room)
{
	socklen_t len = sizeof(at);
	const char *call;

	before = open_descriptors();
	at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (vbm_handshake_listener(&listener, (struct sockaddr *)&at, len, 128, &call) ||
	    getsockname(listener, (struct sockaddr *)&at, &len))
		return 1;
	return vbm_callers_init(&callers, listener, room);
}

static int start(void **state)
{
	(void)state;
	return start_with(ROOM);
}

static int stop(void **state)
{
	(void)state;
	vbm_callers_clear(&callers);
	close(listener);
	return open_descriptors() != before;
}

UNIT(.each = {start, stop});

static int dial(void)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(s >= 0);
	assert_int_equal(connect(s, (struct sockaddr *)&at, sizeof(at)), 0);
	return s;
}

static size_t first_message(uint8_t bytes[HANDSHAKE_BYTES_MAX])
{
	struct handshake_end own = {
		.address = {.qp_num = 17, .gid.raw = {0xfe, 0x80, [15] = 1}}, .psn = 1, .mtu = IBV_MTU_1024,
	};
	struct handshake_message m = {.version = 1, .flag = HANDSHAKE_SYNC, .client = own};

	return vbm_handshake_encode(bytes, &m);
}

/* A caller with a whole first message. */
static int dial_with_request(void)
{
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	size_t length = first_message(bytes);
	int s = dial();

	assert_int_equal(send(s, bytes, length, 0), length);
	return s;
}

static int next(int timeout_ms, int patience_ms, int *socket)
{
	*socket = -1;
	return vbm_callers_next(&callers, vbm_loop_end_after(timeout_ms), patience_ms, socket);
}

static bool is_closed(int s)
{
	char byte;

	return recv(s, &byte, 1, MSG_DONTWAIT) == 0;
}

TEST(test_callers__a_whole_message_is_a_request)
{
	int silent = dial(), good = dial_with_request(), got;

	assert_int_equal(next(PATIENCE_MS, -1, &got), 0);
	assert_true(got >= 0);
	close(got);
	close(good);
	assert_int_equal(next(0, -1, &got), ETIMEDOUT);
	assert_int_equal(callers.door.count, 1);
	close(silent);
	assert_int_equal(next(0, -1, &got), ETIMEDOUT);
	assert_int_equal(callers.door.count, 0);
}

/* However long the time limit is: -1 is none. */
TEST(test_callers__silence_makes_place)
{
	int idle[IDLE], good, got, i, gone = 0;
	int64_t began;

	for (i = 0; i < IDLE; i++)
		idle[i] = dial();
	good = dial_with_request();
	began = vbm_loop_now();
	/* Each call waits for less than the time that a caller has. */
	while ((i = next(50, -1, &got)) == ETIMEDOUT && vbm_loop_now() - began < PATIENCE_MS * NS_PER_MS)
		assert_true(callers.door.count <= ROOM);
	assert_int_equal(i, 0);
	close(got);
	close(good);
	for (i = 0; i < IDLE; i++) {
		assert_true(!is_closed(idle[i]) || gone == i);	/* the oldest first */
		gone += is_closed(idle[i]);
		close(idle[i]);
	}
	assert_true(gone >= IDLE + 1 - ROOM);
}

TEST(test_callers__silence_ends)
{
	int idle = dial(), got;

	assert_int_equal(next(0, 20, &got), ETIMEDOUT);
	assert_int_equal(callers.door.count, 1);
	assert_true(vbm_callers_until(&callers) != 0);
	assert_int_equal(next(PATIENCE_MS / 100, 20, &got), ETIMEDOUT);
	assert_int_equal(callers.door.count, 0);
	assert_int_equal(vbm_callers_until(&callers), 0);
	assert_true(is_closed(idle));
	close(idle);
}

/*
 * Descriptors have run out: the call says so a few times a second, and the caller is served
 * when there are some.
 */
TEST(test_callers__shortage_neither_spins_nor_loses)
{
	struct rlimit was, none;
	int good = dial_with_request(), got, rc = 0, refusals = 0, highest = dup(0);
	int64_t end;

	close(highest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = (struct rlimit){(rlim_t)highest, was.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	end = vbm_loop_end_after(500);
	while (vbm_loop_ms_left(end) > 0) {
		rc = next(500, -1, &got);
		refusals += rc == EMFILE;
		if (rc != EMFILE && rc != ETIMEDOUT)
			break;
	}
	setrlimit(RLIMIT_NOFILE, &was);
	assert_true(rc == EMFILE || rc == ETIMEDOUT);
	assert_true(refusals >= 1 && refusals <= 6);
	rc = next(PATIENCE_MS, -1, &got);
	assert_int_equal(rc, 0);
	close(got);
	close(good);
}

static int overs;

/* The caller says who it is in two bytes. */
static int ask_name(void *context, struct vbm_handshake_auth *auth)
{
	char byte;
	ssize_t n;

	assert_ptr_equal(context, &overs);
	overs += auth->is_over;
	while (!auth->is_over && auth->room[0] < 2) {
		n = recv(auth->socket, &byte, 1, MSG_DONTWAIT);
		if (n <= 0)
			return n ? errno : ECONNRESET;
		if (byte != "me"[auth->room[0]++])
			return EACCES;
	}
	return 0;
}

static int dial_with(const char *words)
{
	int s = dial();

	assert_int_equal(send(s, words, strlen(words), MSG_NOSIGNAL), strlen(words));
	return s;
}

/* The message behind the right words is a request; nobody else's is, nor does it keep that one waiting. */
TEST(test_callers__program_knows_them)
{
	int silent, half, wrong, unknown, hung_up, good, got, i, rc;
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	size_t length;

	callers.door.authenticate = ask_name;
	callers.door.context = &overs;
	overs = 0;
	silent = dial();
	half = dial_with("m");
	wrong = dial_with("mo");
	hung_up = dial_with("m");
	close(hung_up);
	unknown = dial_with_request();
	good = dial_with("me");
	length = first_message(bytes);
	assert_int_equal(send(good, bytes, length, 0), length);
	rc = next(PATIENCE_MS, -1, &got);
	assert_int_equal(rc, 0);
	assert_int_equal(recv(got, bytes, sizeof(bytes), 0), length);
	close(got);
	while (overs < 4 && (rc = next(50, -1, &got)) == ETIMEDOUT)
		;
	assert_int_equal(overs, 4);
	for (i = 0; i < 3; i++)
		assert_int_equal(next(0, -1, &got), ETIMEDOUT);
	assert_int_equal(callers.door.count, 2);
	assert_true(is_closed(wrong) || errno == ECONNRESET);
	assert_false(is_closed(silent) || is_closed(half));
	/* One of the two that are left says the rest. */
	assert_int_equal(send(half, "e", 1, 0), 1);
	length = first_message(bytes);
	assert_int_equal(send(half, bytes, length, 0), length);
	assert_int_equal(next(PATIENCE_MS, -1, &got), 0);
	close(got);
	assert_int_equal(overs, 5);
	vbm_callers_clear(&callers);
	assert_int_equal(overs, 6);
	close(silent);
	close(half);
	close(wrong);
	close(unknown);
	close(good);
}

static int ask_for_ever(void *context, struct vbm_handshake_auth *auth)
{
	(void)context;
	(void)auth;
	return EAGAIN;
}

/* The function may read nothing, and so not see that the caller has gone. */
TEST(test_callers__unknown_may_go)
{
	int s = dial(), got;

	callers.door.authenticate = ask_for_ever;
	assert_int_equal(next(0, -1, &got), ETIMEDOUT);
	assert_int_equal(callers.door.count, 1);
	close(s);
	assert_int_equal(next(0, -1, &got), ETIMEDOUT);
	assert_int_equal(callers.door.count, 0);
}

/* Data of callers whom the program does not know. */
TEST(test_callers__unknown_make_place)
{
	int unknown[ROOM + 1], got, i;
	int64_t began = vbm_loop_now();

	callers.door.authenticate = ask_for_ever;
	for (i = 0; i <= ROOM; i++)
		unknown[i] = dial_with_request();
	while (!is_closed(unknown[0]) && errno == EAGAIN && vbm_loop_now() - began < PATIENCE_MS * NS_PER_MS)
		assert_int_equal(next(50, -1, &got), ETIMEDOUT);
	assert_true(is_closed(unknown[0]) || errno != EAGAIN);
	for (i = 0; i <= ROOM; i++)
		close(unknown[i]);
}
