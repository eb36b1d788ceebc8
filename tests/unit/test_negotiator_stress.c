/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/negotiat*.c lib/handshake/listener.c lib/handshake/mover.c */
/*
 * Good and bad peers at once, cancels, listeners that are closed and opened again, a device
 * that goes and comes back, and descriptors that run out. Each queue pair comes back, nothing is left, and in the end a
 * good client connects. The sanitizers judge the rest.
 */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "negotiator-setup.h"

#define ROUNDS 2000
#define PAIRS 12		/* queue pairs of each end */
#define HOSTILE 2		/* threads */
#define HELD 6			/* sockets that such a thread keeps open in silence */
#define LISTENERS 2		/* the second one decides */

static struct sockaddr_in port[LISTENERS];	/* with the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stop_hostile, attacks;
static int listener[LISTENERS];
static unsigned int seed;
static bool in_use[MANY * 2];

/* ---- the hostile ---- */

static size_t first_message(uint8_t *bytes, bool of_a_third_host)
{
	struct handshake_message m = {
		.version = 1, .flag = HANDSHAKE_SYNC,
		.client = {.address = {.qp_num = 273, .gid.raw = {[10] = 0xff, 0xff, 127, 0, 0, 1}},
			   .psn = 1, .mtu = IBV_MTU_1024},
	};

	m.client.address.gid.raw[12] = of_a_third_host ? 10 : 127;
	return vbm_handshake_encode(bytes, &m);
}

static void attack(int s, unsigned int *dice)
{
	static const struct timeval moment = {.tv_usec = 5000};
	static const struct linger reset = {.l_onoff = 1};
	uint8_t bytes[HANDSHAKE_BYTES_MAX] = "";
	unsigned int kind = (unsigned int)rand_r(dice) % 8;
	size_t length = first_message(bytes, kind == 6);
	ssize_t got_bytes = 0;

	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof(moment));
	if (kind == 0)
		return;
	if (kind == 1)
		length = 1 + (size_t)rand_r(dice) % (length - 1);
	if (kind == 2)
		bytes[(size_t)rand_r(dice) % length] ^= 0x41;
	got_bytes = send(s, bytes, length, MSG_NOSIGNAL);
	if (kind >= 3 && kind <= 5 && got_bytes > 0)
		got_bytes = recv(s, bytes, sizeof(bytes), 0);
	if (kind == 5 && got_bytes > 0)
		send(s, bytes, (size_t)got_bytes, MSG_NOSIGNAL);	/* the answer is no third message */
	if (kind == 7)
		setsockopt(s, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

static void *be_hostile(void *dice)
{
	int held[HELD] = {-1, -1, -1, -1, -1, -1}, i = 0;
	struct sockaddr_in to;

	while (!__atomic_load_n(&stop_hostile, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&lock);
		to = port[rand_r(dice) % LISTENERS];
		pthread_mutex_unlock(&lock);
		if (held[i] >= 0)
			close(held[i]);
		held[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (held[i] >= 0 && connect(held[i], (struct sockaddr *)&to, sizeof(to)) == 0)
			attack(held[i], dice);
		__atomic_add_fetch(&attacks, 1, __ATOMIC_RELAXED);
		i = (i + 1) % HELD;
	}
	for (i = 0; i < HELD; i++)
		if (held[i] >= 0)
			close(held[i]);
	return NULL;
}

/* ---- the device of every third queue pair ---- */

static int has_gone, removed;

static int query_port(struct ibv_context *context, uint8_t number, struct ibv_port_attr *attr, size_t size)
{
	(void)context;
	(void)number;
	memset(attr, 0, size);
	return __atomic_load_n(&has_gone, __ATOMIC_ACQUIRE) ? EIO : 0;
}

static struct verbs_context device = {
	.sz = sizeof(device), .query_port = query_port, .context.abi_compat = __VERBS_ABI_IS_EXTENDED,
};

static bool is_of_device(int i)
{
	return qps[i].context == &device.context;
}

static void open_device(void)
{
	__atomic_store_n(&has_gone, 0, __ATOMIC_RELEASE);
	device.context.async_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	for (int i = 0; i < MANY * 2; i += 3)
		qps[i].context = &device.context;
}

/* ---- the program ---- */

static int prepare(struct vbm_qp *qp, void *context)
{
	note_thread();
	return qp == context ? 0 : EINVAL;
}

static void handle(const struct vbm_outcome *o)
{
	int i = MANY + PAIRS + rand_r(&seed) % PAIRS;
	struct vbm_qp *qp = &qps[i];

	if (o->kind == VBM_OUTCOME_LISTENING && o->result == 0) {
		pthread_mutex_lock(&lock);
		memcpy(&port[o->listener == listener[1]], &o->address, sizeof(*port));
		pthread_mutex_unlock(&lock);
	} else if (o->kind == VBM_OUTCOME_REQUEST && !in_use[i] && !(has_gone && is_of_device(i))) {
		in_use[i] = vbm_negotiator_accept(n, o->request, qp, "yes", 3, qp) == 0;
	} else if (o->kind == VBM_OUTCOME_REQUEST) {
		vbm_negotiator_reject(n, o->request, "no", 2);
	} else if (o->kind == VBM_OUTCOME_CONNECTED) {
		assert_true(in_use[o->qp - qps]);
		in_use[o->qp - qps] = false;
		removed += o->result == ENODEV;
		assert_true(o->result != ENODEV || is_of_device((int)(o->qp - qps)));
		put_in_init(o->qp);
		if (o->socket >= 0)
			close(o->socket);
	}
}

static void handle_all(int timeout_ms)
{
	int count = 0;

	vbm_negotiator_wait(n, got, MANY, timeout_ms, &count);
	for (int i = 0; i < count; i++)
		handle(&got[i]);
}

static void open_listener(int which)
{
	struct sockaddr_storage a = loopback(AF_INET);
	struct vbm_listen_options o = {
		.size = sizeof(o), .decide = which, .max_pending = 16, .grace_ms = 5, .prepare = prepare,
		.handshake.timeout_ms = 200, .handshake.foreign_gid = rand_r(&seed) % 4 == 0,
	};

	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&a, &o, NULL, &listener[which]), 0);
	handle_all(-1);
}

static void play(void)
{
	int i = rand_r(&seed) % PAIRS, which = rand_r(&seed) % LISTENERS;
	struct vbm_handshake_options o = {.size = sizeof(o), .timeout_ms = 200};
	struct vbm_qp *offer = &qps[MANY + i], *client = &qps[i];

	if (!in_use[MANY + i])
		in_use[MANY + i] = vbm_negotiator_offer(n, listener[0], offer, offer) == 0;
	if (!in_use[i])
		in_use[i] = vbm_negotiator_connect(n, client, (struct sockaddr *)&port[which], &o, client) == 0;
	if (rand_r(&seed) % 4 == 0)
		vbm_negotiator_cancel(n, rand_r(&seed) % 2 ? offer : client);
	handle_all(1);
}

/* A few descriptors are left, or none. */
static void limit_descriptors(const struct rlimit *usual, bool few)
{
	struct rlimit limit = *usual;
	int next = few ? dup(STDERR_FILENO) : -1;

	if (next >= 0) {
		limit.rlim_cur = (rlim_t)(next + rand_r(&seed) % 4);
		close(next);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static bool is_any_in_use(bool of_device)
{
	for (int i = 0; i < MANY * 2; i++)
		if (in_use[i] && (!of_device || is_of_device(i)))
			return true;
	return false;
}

/* All queue pairs of the device come back; then there is the next one. */
static void remove_device(void)
{
	uint64_t one = 1;

	__atomic_store_n(&has_gone, 1, __ATOMIC_RELEASE);
	assert_int_equal(write(device.context.async_fd, &one, sizeof(one)), sizeof(one));
	while (is_any_in_use(true))
		handle_all(-1);
	assert_int_equal(read(device.context.async_fd, &one, sizeof(one)), sizeof(one));
	__atomic_store_n(&has_gone, 0, __ATOMIC_RELEASE);
}

/* Close the listeners, and give back all that is under way. */
static void finish(void)
{
	int which;

	for (which = 0; which < LISTENERS; which++)
		assert_int_equal(vbm_negotiator_close(n, listener[which], NULL), 0);
	while (is_any_in_use(false))
		handle_all(-1);
	handle_all(1);
}

TEST_BOTH(test_stress)
{
	unsigned int dice[HOSTILE] = {1, 2};
	pthread_t thread[HOSTILE];
	struct rlimit usual;
	int round, i, count;

	seed = 42;
	keep_states = true;
	slow_call = any_thread;
	__atomic_store_n(&stop_hostile, 0, __ATOMIC_RELEASE);
	memset(in_use, 0, sizeof(in_use));
	getrlimit(RLIMIT_NOFILE, &usual);
	open_device();
	removed = 0;
	for (i = 0; i < LISTENERS; i++)
		open_listener(i);
	for (i = 0; i < HOSTILE; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, be_hostile, &dice[i]), 0);
	for (round = 0; round < ROUNDS; round++) {
		limit_descriptors(&usual, round % 16 >= 12);
		play();
		if (round % 64 == 63) {
			limit_descriptors(&usual, false);
			vbm_negotiator_close(n, listener[round / 64 % LISTENERS], NULL);
			open_listener(round / 64 % LISTENERS);
		}
		if (round % 64 == 31)
			remove_device();
	}
	limit_descriptors(&usual, false);
	__atomic_store_n(&stop_hostile, 1, __ATOMIC_RELEASE);
	for (i = 0; i < HOSTILE; i++)
		pthread_join(thread[i], NULL);
	finish();
	assert_true(attacks > 0);
	assert_true(removed > 0);
	/* And now a good one. */
	i = listen_at(AF_INET, NULL);
	vbm_negotiator_offer(n, i, &qps[MANY], &qps[MANY]);
	assert_int_equal(connect_with(&qps[0], WITH(.timeout_ms = PATIENCE_MS)), 0);
	collect(2);
	assert_int_equal(got[0].result || got[1].result, 0);
	close_all(2);
	vbm_negotiator_collect(n, got, 1, &count);
	assert_int_equal(count, 0);
	close(device.context.async_fd);
}
