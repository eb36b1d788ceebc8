/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything at once from many threads, and forks in between. What is wrong
 * here mostly does no harm; the thread sanitizer sees it (.ci/run threads).
 */
#include "cmocka_all.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bridge.h"
#include "channel.h"
#include "getaddrinfo.h"
#include "resolver-setup.h"

#define STATIONS 3
#define WAITERS 2
#define REQUESTS (7 * 10 * WAITERS)
#define CALLERS 3
#define CALLS 60
#define PATIENCE_MS 60000

static struct world world;
static struct liar *liar;

static int start_with(int delay_ms)
{
	world_open(&world);
	/* A name that is not answered is only ever cancelled, or timed out. */
	world_file(&world, "resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:1\n");
	liar = liar_start(delay_ms);
	world.cfg.dns_port = liar_port(liar);
	return 0;
}

static int start(void **state)
{
	(void)state;
	return start_with(1);
}

static int start_slow(void **state)
{
	(void)state;
	return start_with(50);
}

static int stop(void **state)
{
	(void)state;
	liar_stop(liar);
	world_close(&world);
	return 0;
}

/* What becomes of the i-th request of a station. */
enum fate { LITERAL, NAME, HOSTS_FILE, UNKNOWN, TIMED_OUT, CANCELLED, DESTROYED, FATES };

static const struct {
	const char *node;
	int status;
} fates[] = {
	[LITERAL] = {"192.0.2.1", 0},
	[NAME] = {"plain.test", 0},
	[HOSTS_FILE] = {"fixed.test", 0},
	[UNKNOWN] = {"rc3.test", EAI_NONAME},
	[TIMED_OUT] = {"drop.test", EAI_AGAIN},
	[CANCELLED] = {"drop.test", EAI_CANCELED},
	[DESTROYED] = {"drop.test", 0},
};

/*
 * One channel: a thread that starts requests, one that ends some of them or
 * gets in the way, and some that fetch events.
 */
struct station {
	struct vbm_channel *channel;
	pthread_t starter, meddler, waiter[WAITERS];
	struct vbm_id *id[REQUESTS];
	int hands[2];		/* a pipe of numbers, starter to meddler */
	int ended[REQUESTS], wrong, queried;
};

static void count(int *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

static bool expected(int i)
{
	return i % FATES != DESTROYED;
}

static int make(struct station *s, intptr_t i)
{
	return vbm_create_id(s->channel, (void *)i, &s->id[i], NULL);
}

static void *start_requests(void *arg)
{
	struct station *s = arg;

	for (int i = 0; i < REQUESTS; i++) {
		enum fate fate = i % FATES;

		if (fate != LITERAL && make(s, i))
			count(&s->wrong);
		if (fate == TIMED_OUT)
			vbm_set_timeout(s->id[i], 20);
		if (vbm_resolve_addrinfo(s->id[i], fates[fate].node, "1", NULL))
			count(&s->wrong);
		if ((fate == CANCELLED || fate == DESTROYED) &&
		    write(s->hands[1], &i, sizeof(i)) != sizeof(i))
			count(&s->wrong);
	}
	close(s->hands[1]);
	return NULL;
}

static void query(struct station *s, struct vbm_id *id)
{
	struct rdma_addrinfo *res;

	if (vbm_query_addrinfo(id, &res))
		return;
	count(&s->queried);
	vbm_freeaddrinfo(res);
}

static void *meddle(void *arg)
{
	struct station *s = arg;
	int i;

	while (read(s->hands[0], &i, sizeof(i)) == sizeof(i)) {
		struct vbm_id *literal = s->id[(i / FATES + 1) * FATES % REQUESTS];

		if (i % FATES == CANCELLED ? vbm_cancel(s->id[i]) : vbm_destroy_id(s->id[i], NULL))
			count(&s->wrong);
		vbm_set_timeout(literal, PATIENCE_MS);
		query(s, literal);
	}
	close(s->hands[0]);
	return NULL;
}

static void take(struct station *s, const struct vbm_event *e)
{
	int i = (int)(intptr_t)vbm_id_context(e->id);

	count(&s->ended[i]);
	if (e->status != fates[i % FATES].status)
		count(&s->wrong);
	query(s, e->id);
}

static void *wait_for_events(void *arg)
{
	struct station *s = arg;

	for (int i = 0; i < REQUESTS / WAITERS; i++) {
		struct vbm_event *e;

		if (!expected(i))
			continue;
		if (vbm_get_event(s->channel, &e, PATIENCE_MS, NULL))
			break;
		take(s, e);
		vbm_ack_event(e);
	}
	return NULL;
}

static void open_station(struct station *s)
{
	assert_int_equal(vbm_channel_new(&world.cfg, &s->channel, NULL), 0);
	assert_int_equal(pipe(s->hands), 0);
	for (int i = LITERAL; i < REQUESTS; i += FATES)
		assert_int_equal(make(s, i), 0);
	for (int i = 0; i < WAITERS; i++)
		assert_int_equal(pthread_create(&s->waiter[i], NULL, wait_for_events, s), 0);
	assert_int_equal(pthread_create(&s->meddler, NULL, meddle, s), 0);
	assert_int_equal(pthread_create(&s->starter, NULL, start_requests, s), 0);
}

static void close_station(struct station *s)
{
	struct vbm_event *e;
	int good = 0;

	pthread_join(s->starter, NULL);
	pthread_join(s->meddler, NULL);
	for (int i = 0; i < WAITERS; i++)
		pthread_join(s->waiter[i], NULL);
	assert_int_equal(s->wrong, 0);
	assert_int_equal(vbm_get_event(s->channel, &e, 0, NULL), -EAGAIN);
	for (int i = 0; i < REQUESTS; i++) {
		assert_int_equal(s->ended[i], expected(i));
		good += expected(i) && !fates[i % FATES].status;
		if (expected(i))
			assert_int_equal(vbm_destroy_id(s->id[i], NULL), 0);
	}
	assert_int_equal(s->queried, good);
	assert_int_equal(vbm_destroy_channel(s->channel, NULL), 0);
}

static void call_named(int *wrong)
{
	struct rdma_addrinfo *res;

	for (int i = 0; i < CALLS; i++) {
		const char *node = i % 2 ? "plain.test" : "fixed.test";

		if (vbm_gai_translate(&world.cfg, node, "1", NULL, &res))
			++*wrong;
		vbm_freeaddrinfo(res);
	}
}

/* What is known of local addresses is shared; these are more than fit. */
static void call_local(int *wrong)
{
	struct rdma_addrinfo *res;
	char node[32];

	for (int i = 0; i < CALLS; i++) {
		snprintf(node, sizeof(node), "127.0.0.%d", i % 20 + 1);
		if (vbm_getaddrinfo(node, "1", NULL, &res))
			++*wrong;
		vbm_freeaddrinfo(res);
	}
}

static void *call(void *arg)
{
	call_named(arg);
	call_local(arg);
	return NULL;
}

static void test_threads__both_calls_on_several_channels(void **state)
{
	static struct station stations[STATIONS];
	int wrong[CALLERS] = {0};
	pthread_t callers[CALLERS];

	(void)state;
	memset(stations, 0, sizeof(stations));
	for (int i = 0; i < CALLERS; i++)
		assert_int_equal(pthread_create(&callers[i], NULL, call, &wrong[i]), 0);
	for (int i = 0; i < STATIONS; i++)
		open_station(&stations[i]);
	for (int i = 0; i < STATIONS; i++)
		close_station(&stations[i]);
	for (int i = 0; i < CALLERS; i++) {
		pthread_join(callers[i], NULL);
		assert_int_equal(wrong[i], 0);
	}
}

struct endless {
	pthread_t thread;
	bool stop;
	int wrong;
};

static void *call_until_stopped(void *arg)
{
	struct endless *l = arg;

	while (!__atomic_load_n(&l->stop, __ATOMIC_ACQUIRE))
		call_local(&l->wrong);
	return NULL;
}

/* In the child: both calls, on a channel of its own; 0 when all is well. */
static int after_fork(void)
{
	struct vbm_channel *own;
	struct rdma_addrinfo *res;
	struct vbm_event *e;
	struct vbm_id *id;
	int wrong = 0;

	alarm(PATIENCE_MS / 1000);
	call_local(&wrong);
	if (vbm_channel_new(&world.cfg, &own, NULL) || vbm_create_id(own, NULL, &id, NULL))
		return 1;
	if (vbm_resolve_addrinfo(id, "plain.test", "1", NULL) ||
	    vbm_get_event(own, &e, PATIENCE_MS, NULL) || e->status)
		return 2;
	vbm_ack_event(e);
	if (vbm_query_addrinfo(id, &res))
		return 3;
	vbm_freeaddrinfo(res);
	if (vbm_destroy_id(id, NULL) || vbm_destroy_channel(own, NULL))
		return 4;
	if (vbm_gai_translate(&world.cfg, "plain.test", "1", NULL, &res))
		return 5;
	vbm_freeaddrinfo(res);
	return wrong ? 6 : 0;
}

/* Whatever another thread holds at that moment, the child can resolve. */
static void test_threads__fork_while_others_resolve(void **state)
{
	static struct endless others[CALLERS];

	(void)state;
	memset(others, 0, sizeof(others));
	for (int i = 0; i < CALLERS; i++)
		assert_int_equal(pthread_create(&others[i].thread, NULL, call_until_stopped,
						&others[i]), 0);
	for (int i = 0; i < 50; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid)
			_exit(after_fork());
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	for (int i = 0; i < CALLERS; i++) {
		__atomic_store_n(&others[i].stop, true, __ATOMIC_RELEASE);
		pthread_join(others[i].thread, NULL);
		assert_int_equal(others[i].wrong, 0);
	}
}

/* Keeps copies of all descriptors until @hold is closed. */
static pid_t child_that_stays(const int hold[2])
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	close(hold[1]);
	_exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
}

static void begin(struct vbm_channel *ch, struct vbm_id **id)
{
	assert_int_equal(vbm_create_id(ch, NULL, id, NULL), 0);
	assert_int_equal(vbm_resolve_addrinfo(*id, "plain.test", "1", NULL), 0);
}

static void end(struct vbm_channel *ch, struct vbm_id *id, int status)
{
	struct vbm_event *e;

	assert_int_equal(vbm_get_event(ch, &e, PATIENCE_MS, NULL), 0);
	assert_ptr_equal(e->id, id);
	assert_int_equal(e->status, status);
	vbm_ack_event(e);
	assert_int_equal(vbm_destroy_id(id, NULL), 0);
}

/*
 * A socket that the parent closed is still open in the child: answers that
 * arrive there must wake nobody.
 */
static void test_threads__a_child_that_stays(void **state)
{
	struct vbm_id *before, *after;
	struct vbm_channel *ch;
	struct vbm_event *e;
	int hold[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(hold), 0);
	assert_int_equal(vbm_channel_new(&world.cfg, &ch, NULL), 0);
	begin(ch, &before);
	pid = child_that_stays(hold);
	assert_int_equal(vbm_cancel(before), 0);
	end(ch, before, EAI_CANCELED);
	world_file(&world, "resolv.conf", "nameserver 127.0.0.1\noptions timeout:20 attempts:1\n");
	begin(ch, &after);
	end(ch, after, 0);
	assert_int_equal(vbm_get_event(ch, &e, 100, NULL), -EAGAIN);
	assert_int_equal(vbm_destroy_channel(ch, NULL), 0);
	close(hold[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(hold[0]);
}

/* As the preload library does it: an event channel of rdma_cm's for each. */
static void *over_the_bridge(void *arg)
{
	struct rdma_event_channel ec = {.fd = eventfd(0, EFD_CLOEXEC)};
	int *wrong = arg;

	for (int i = 0; i < CALLS; i++) {
		struct rdma_cm_id cm_id = {.channel = &ec};
		struct rdma_addrinfo *res = NULL;
		struct rdma_cm_event *e;

		if (vbm_bridge_resolve_addrinfo(&cm_id, "192.0.2.1", "1", NULL) ||
		    vbm_bridge_get_cm_event(&ec, &e) || e->id != &cm_id || e->status)
			++*wrong;
		else if (vbm_bridge_ack_cm_event(e) || vbm_bridge_query_addrinfo(&cm_id, &res))
			++*wrong;
		vbm_freeaddrinfo(res);
		vbm_bridge_forget_id(&cm_id);
	}
	vbm_bridge_forget_channel(&ec);
	close(ec.fd);
	return NULL;
}

static void test_threads__bridges(void **state)
{
	int wrong[CALLERS] = {0};
	pthread_t t[CALLERS];

	(void)state;
	for (int i = 0; i < CALLERS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, over_the_bridge, &wrong[i]), 0);
	for (int i = 0; i < CALLERS; i++) {
		pthread_join(t[i], NULL);
		assert_int_equal(wrong[i], 0);
	}
}

VBM_TESTS(cmocka_unit_test_setup_teardown(test_threads__both_calls_on_several_channels, start, stop),
	  cmocka_unit_test_setup_teardown(test_threads__fork_while_others_resolve, start, stop),
	  cmocka_unit_test_setup_teardown(test_threads__a_child_that_stays, start_slow, stop),
	  cmocka_unit_test(test_threads__bridges));
