/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/negotiation*.c lib/handshake/negotiator-thread.c */
/*
 * A negotiator whose calls of ibv_modify_qp(3) take longer than a step may. On this host's
 * loopback, without a device, like test_negotiator.c. The calls that need a device are
 * replaced, and move the clock instead of taking time.
 */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../help/descriptors.h"
#include "../help/no-device.h"

#define PATIENCE_MS 600000
#define STEP_MS 5000
#define BLOCKED_S 10	/* longer than a step */
#define CLIENTS 4
#define GIVE_UP_MS 50	/* a server whose time is up gives up sooner */

static int64_t moved_s;

#pragma GCC visibility push(default)
int clock_gettime(clockid_t clock, struct timespec *ts)
{
	int ret = (int)syscall(SYS_clock_gettime, clock, ts);

	ts->tv_sec += __atomic_load_n(&moved_s, __ATOMIC_ACQUIRE);
	return ret;
}
#pragma GCC visibility pop

static bool client_blocks, server_blocks;

static int to_rts(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error)
{
	if (h->is_client ? client_blocks : server_blocks)
		__atomic_add_fetch(&moved_s, BLOCKED_S, __ATOMIC_RELEASE);
	return no_device_to_rts(h, qp, error);
}

static const struct negotiator_verbs verbs = {no_device_in_init, to_rts, no_device_give_up, NULL};
static struct vbm_negotiator *n;
static struct vbm_qp clients[CLIENTS], servers[CLIENTS];
static int before;

static int start(void **state)
{
	(void)state;
	before = open_descriptors();
	client_blocks = server_blocks = false;
	memset(clients, 0, sizeof(clients));
	memset(servers, 0, sizeof(servers));
	for (int i = 0; i < CLIENTS; i++) {
		struct vbm_qp own = {.local = {.gid.raw = {[10] = 0xff, 0xff, 127, 0, 0, 1}}, .options.mtu = 1024};

		own.local.qp_num = (uint32_t)i + 2;
		clients[i] = own;
		own.local.qp_num += CLIENTS;
		servers[i] = own;
	}
	return vbm_negotiator_make(&n, NULL, &verbs, NULL);
}

static int stop(void **state)
{
	(void)state;
	vbm_destroy_negotiator(n);
	return open_descriptors() != before;
}

UNIT(.each = {start, stop});

static void collect(struct vbm_outcome *o, int wanted)
{
	int have = 0, count, rc;

	while (have < wanted) {
		rc = vbm_negotiator_wait(n, o + have, wanted - have, PATIENCE_MS, &count);
		if (rc != EINTR)
			assert_int_equal(rc, 0);
		have += rc ? 0 : count;
	}
}

static struct sockaddr_storage listens(int *listener)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct vbm_listen_options options = {.size = sizeof(options), .handshake.timeout_ms = STEP_MS};
	struct vbm_outcome o;

	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&in, &options, NULL, listener), 0);
	collect(&o, 1);
	assert_int_equal(o.result, 0);
	return o.address;
}

/* All peers are quick, so nobody's time is up. */
static void connect_some(int count, int client_step_ms)
{
	struct vbm_handshake_options options = {.size = sizeof(options), .timeout_ms = client_step_ms};
	struct vbm_outcome o[2 * CLIENTS];
	int listener, i;
	struct sockaddr_storage at = listens(&listener);

	for (i = 0; i < count; i++) {
		assert_int_equal(vbm_negotiator_offer(n, listener, &servers[i], NULL), 0);
		assert_int_equal(vbm_negotiator_connect(n, &clients[i], (struct sockaddr *)&at, &options, NULL), 0);
	}
	collect(o, 2 * count);
	for (i = 0; i < 2 * count; i++) {
		assert_int_equal(o[i].result, 0);
		close(o[i].socket);
	}
}

/* A client that answers, unless the server gives up at once. */
static void answer_late(int s, int listener)
{
	struct handshake_message m;
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	struct pollfd given_up = {.fd = s, .events = POLLRDHUP};
	size_t length;

	assert_true(no_device_begin(s, &clients[0].local.gid));
	assert_int_equal(recv(s, bytes, HANDSHAKE_BYTES_1, MSG_WAITALL), HANDSHAKE_BYTES_1);
	assert_null(vbm_handshake_decode(&m, bytes));
	assert_int_equal(m.flag, HANDSHAKE_SYNC_ACK);
	/* Any request wakes the thread, which then looks at the clock. */
	assert_int_equal(vbm_negotiator_offer(n, listener, &servers[1], NULL), 0);
	assert_int_equal(poll(&given_up, 1, GIVE_UP_MS), 0);
	m.flag = HANDSHAKE_ACK;
	length = vbm_handshake_encode(bytes, &m);
	assert_int_equal(send(s, bytes, length, 0), length);
}

TEST(test_step__begins_after_a_call_that_blocked)
{
	int listener, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage at = listens(&listener);
	struct vbm_outcome o;

	server_blocks = true;
	assert_int_equal(vbm_negotiator_offer(n, listener, &servers[0], NULL), 0);
	assert_int_equal(connect(s, (struct sockaddr *)&at, sizeof(struct sockaddr_in)), 0);
	answer_late(s, listener);
	collect(&o, 1);
	assert_int_equal(o.result, 0);
	close(o.socket);
	close(s);
}

TEST(test_step__whose_answer_came_while_the_thread_was_blocked)
{
	client_blocks = true;
	connect_some(CLIENTS, STEP_MS);
}
