/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/negotiation*.c lib/handshake/listener.c */
/*
 * A crowd whose first messages are right, and which then says nothing, in front of a good
 * client. On this host's loopback and without a device; the clock moves only when the test
 * moves it, so each time is exact.
 */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../help/descriptors.h"
#include "../help/no-device.h"
#include "lib/handshake/negotiation.h"

#define CROWD 50
#define OFFERS_MAX 8
#define GOOD 4711	/* the number of the good client's queue pair */
#define TOO_LATE_MS 60000

static int64_t now_ms = 1000;

#pragma GCC visibility push(default)
int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){.tv_sec = now_ms / 1000, .tv_nsec = now_ms % 1000 * NS_PER_MS};
	return 0;
}
#pragma GCC visibility pop

static bool good_has_its_turn;

static int to_rts(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error)
{
	good_has_its_turn = good_has_its_turn || h->peer.address.qp_num == GOOD;
	return no_device_to_rts(h, qp, error);
}

static const struct negotiator_verbs verbs = {no_device_in_init, to_rts, no_device_give_up, NULL};
static struct vbm_negotiator *n;
static struct vbm_qp good, offered[OFFERS_MAX];

/* Take outcomes until the negotiator has nothing more to do now. */
static int take(struct vbm_outcome *o, int room)
{
	int count;

	assert_int_equal(vbm_negotiator_collect(n, o, room, &count), 0);
	return count;
}

static const struct listener *listener_of(void)
{
	return of_ring(&n->listeners, struct listener, link);
}

/* Waits until @clients have an answer, or wait for a queue pair. */
static void await_clients(unsigned int clients)
{
	const struct listener *l = listener_of();
	struct vbm_outcome o;

	while (l->count[PLACE_HALFWAY] + l->count[PLACE_WAITING] < clients)
		assert_int_equal(take(&o, 1), 0);
}

static struct sockaddr_in listens(int offers)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct vbm_listen_options options = {.size = sizeof(options), .handshake.timeout_ms = TOO_LATE_MS};
	struct vbm_qp own = {.local = {.gid.raw = {[10] = 0xff, 0xff, 127, 0, 0, 1}}, .options.mtu = 1024};
	struct vbm_outcome o = {.result = -1};
	int listener, i;

	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&at, &options, NULL, &listener), 0);
	while (take(&o, 1) == 0)
		;
	assert_int_equal(o.result, 0);
	for (i = 0; i < offers; i++) {
		own.local.qp_num = (uint32_t)i + 2;
		offered[i] = own;
		assert_int_equal(vbm_negotiator_offer(n, listener, &offered[i], NULL), 0);
	}
	own.local.qp_num = GOOD;
	good = own;
	memcpy(&at, &o.address, sizeof(at));
	return at;
}

static int fall_silent(const struct sockaddr_in *at)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(s, (const struct sockaddr *)at, sizeof(*at)), 0);
	assert_true(no_device_begin(s, &good.local.gid));
	return s;
}

/* After how many milliseconds the good client has a queue pair. The crowd stays. */
static int wait_behind(int crowd, int offers)
{
	struct vbm_handshake_options options = {.size = sizeof(options), .timeout_ms = TOO_LATE_MS};
	struct sockaddr_in at = listens(offers);
	int64_t begin = now_ms;
	struct vbm_outcome o;
	int s[CROWD], i, connected = 0;

	for (i = 0; i < crowd; i++)
		s[i] = fall_silent(&at);
	await_clients((unsigned int)crowd);
	good_has_its_turn = false;
	assert_int_equal(vbm_negotiator_connect(n, &good, (struct sockaddr *)&at, &options, NULL), 0);
	await_clients((unsigned int)crowd + 1);
	while (!good_has_its_turn && now_ms - begin < TOO_LATE_MS) {
		now_ms++;
		assert_int_equal(take(&o, 1), 0);
	}
	assert_true(good_has_its_turn);
	while (connected < 2) {
		if (take(&o, 1) == 0)
			continue;
		assert_int_equal(o.result, 0);
		close(o.socket);
		connected++;
	}
	for (i = 0; i < crowd; i++)
		close(s[i]);
	return (int)(now_ms - begin);
}

TEST(test_crowd__gives_way_within_a_second)
{
	static const struct { int crowd, offers; } rows[] = {{1, 1}, {2, 1}, {5, 1}, {20, 1}, {CROWD, 1}, {CROWD, 8}};
	struct vbm_negotiator_options in_loop = {.size = sizeof(in_loop), .in_loop = 1};
	int before = open_descriptors(), ms;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(vbm_negotiator_make(&n, &in_loop, &verbs, NULL), 0);
		ms = wait_behind(rows[i].crowd, rows[i].offers);
		vbm_destroy_negotiator(n);
		if (ms > 1000)
			fail_msg("%d clients, %d offers: the good client waited %d ms", rows[i].crowd, rows[i].offers, ms);
	}
	assert_int_equal(open_descriptors(), before);
}
