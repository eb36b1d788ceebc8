/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/resolver.c lib/resolve/engine.c lib/resolve/request.c lib/cm/cm.c */
/*
 * Many threads use everything at once, with forks in between. Most faults here do no
 * visible harm; the thread sanitizer sees them (.ci/run threads).
 */
#include "cmocka_all.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/resolve/engine.h"
#include "lib/resolve/getaddrinfo.h"
#include "lib/resolve/request.h"
#include "resolver-setup.h"
#include "lib/resolve/resolver.h"

#define STATIONS 3
#define WAITERS 2
#define REQUESTS (7 * 10 * WAITERS)
#define CALLERS 3
#define CALLS 60
#define CROWD 250	/* more than an engine asks at the same time */
#define PATIENCE_MS 60000

static struct world world;

static int start_with(int delay_ms)
{
	world_open(&world);
	/* Requests for a name without an answer are cancelled or time out. */
	world_file(&world, "resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:1\n");
	world_serve_wrong(&world, delay_ms);
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
	world_close(&world);
	return 0;
}

UNIT(.each = {start, stop});

/* The end of the i-th request of a station. */
enum fate { LITERAL, NAME, HOSTS_FILE, UNKNOWN, TIMED_OUT, CANCELLED, FREED, FATES };

static const struct {
	const char *node;
	int code, timeout_ms;
} fates[] = {
	[LITERAL] = {"192.0.2.1", 0, PATIENCE_MS},
	[NAME] = {"plain.test", 0, 0},
	[HOSTS_FILE] = {"fixed.test", 0, 0},
	[UNKNOWN] = {"rc3.test", EAI_NONAME, 0},
	[TIMED_OUT] = {"drop.test", EAI_AGAIN, 20},
	[CANCELLED] = {"drop.test", EAI_CANCELED, 0},
	[FREED] = {"drop.test", 0, 0},
};

/*
 * One resolver: one thread starts requests, one ends some of them or disturbs them, and
 * some collect the ended ones.
 */
struct station {
	struct vbm_resolver *resolver;
	pthread_t starter, meddler, waiter[WAITERS];
	struct vbm_request *request[REQUESTS];
	int hands[2];		/* a pipe of numbers, from the starter to the meddler */
	int ended[REQUESTS], wrong, taken;
};

static void count(int *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

static bool expected(int i)
{
	return i % FATES != FREED;
}

static void *start_requests(void *arg)
{
	struct station *s = arg;

	for (intptr_t n = 0; n < REQUESTS; n++) {
		int i = (int)n;
		enum fate fate = i % FATES;

		if (vbm_start_request(s->resolver, fates[fate].node, "1", NULL, fates[fate].timeout_ms,
				      (void *)n, &s->request[i]))
			count(&s->wrong);
		if ((fate == CANCELLED || fate == FREED) &&
		    write(s->hands[1], &i, sizeof(i)) != sizeof(i))
			count(&s->wrong);
	}
	close(s->hands[1]);
	return NULL;
}

static void *meddle(void *arg)
{
	struct station *s = arg;
	int i;

	while (read(s->hands[0], &i, sizeof(i)) == sizeof(i)) {
		struct vbm_request *r = s->request[i];

		if (vbm_request_code(r) != EAI_INPROGRESS)
			count(&s->wrong);
		if (i % FATES == CANCELLED ? vbm_cancel_request(r) : vbm_free_request(r))
			count(&s->wrong);
	}
	close(s->hands[0]);
	return NULL;
}

static void take(struct station *s, struct vbm_request *r)
{
	int i = (int)(intptr_t)vbm_request_context(r);
	struct rdma_addrinfo *res;

	count(&s->ended[i]);
	if (vbm_request_code(r) != fates[i % FATES].code)
		count(&s->wrong);
	if (vbm_request_result(r, &res))
		return;
	count(&s->taken);
	vbm_freeaddrinfo(res);
}

static void *wait_for_ends(void *arg)
{
	struct station *s = arg;

	for (int i = 0; i < REQUESTS / WAITERS; i++) {
		struct vbm_request *r;

		if (!expected(i))
			continue;
		if (vbm_next_request(s->resolver, PATIENCE_MS, &r))
			break;
		take(s, r);
	}
	return NULL;
}

static void open_station(struct station *s)
{
	assert_int_equal(vbm_resolver_new(&world.cfg, &s->resolver), 0);
	assert_int_equal(pipe(s->hands), 0);
	for (int i = 0; i < WAITERS; i++)
		assert_int_equal(pthread_create(&s->waiter[i], NULL, wait_for_ends, s), 0);
	assert_int_equal(pthread_create(&s->meddler, NULL, meddle, s), 0);
	assert_int_equal(pthread_create(&s->starter, NULL, start_requests, s), 0);
}

static void close_station(struct station *s)
{
	struct vbm_request *r;
	int good = 0;

	pthread_join(s->starter, NULL);
	pthread_join(s->meddler, NULL);
	for (int i = 0; i < WAITERS; i++)
		pthread_join(s->waiter[i], NULL);
	assert_int_equal(s->wrong, 0);
	assert_int_equal(vbm_next_request(s->resolver, 0, &r), -1);
	for (int i = 0; i < REQUESTS; i++) {
		assert_int_equal(s->ended[i], expected(i));
		good += expected(i) && !fates[i % FATES].code;
		if (expected(i))
			assert_int_equal(vbm_free_request(s->request[i]), 0);
	}
	assert_int_equal(s->taken, good);
	assert_int_equal(vbm_destroy_resolver(s->resolver), 0);
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

/* The cache of local addresses is shared. These are more addresses than it can hold. */
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

TEST(test_threads__both_ways_on_several_resolvers)
{
	static struct station stations[STATIONS];
	int wrong[CALLERS] = {0};
	pthread_t callers[CALLERS];

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

/* In the child: both kinds of calls, on a resolver of its own. Returns 0 on success. */
static int after_fork(void)
{
	struct vbm_resolver *own;
	struct vbm_request *r, *ended;
	struct rdma_addrinfo *res;
	int wrong = 0;

	alarm(PATIENCE_MS / 1000);
	call_local(&wrong);
	if (vbm_resolver_new(&world.cfg, &own) ||
	    vbm_start_request(own, "plain.test", "1", NULL, 0, NULL, &r))
		return 1;
	if (vbm_next_request(own, PATIENCE_MS, &ended) || vbm_request_code(r))
		return 2;
	if (vbm_request_result(r, &res))
		return 3;
	vbm_freeaddrinfo(res);
	if (vbm_free_request(r) || vbm_destroy_resolver(own))
		return 4;
	if (vbm_gai_translate(&world.cfg, "plain.test", "1", NULL, &res))
		return 5;
	vbm_freeaddrinfo(res);
	return wrong ? 6 : 0;
}

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#ifndef ASAN
#define ASAN 0
#endif

/*
 * The child can resolve, whatever locks other threads hold at the time of the fork. The
 * allocator of the address sanitizer does not allow that: a child inherits locks of
 * threads that it does not have, and would wait for them for ever.
 */
TEST(test_threads__fork_while_others_resolve)
{
	static struct endless others[CALLERS];

	if (ASAN)
		skip();
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

/* Keeps copies of all descriptors open until @hold is closed. */
static pid_t child_that_stays(const int hold[2])
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	close(hold[1]);
	_exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
}

static void end(struct vbm_resolver *r, struct vbm_request *q, int code)
{
	struct vbm_request *ended;

	assert_int_equal(vbm_next_request(r, PATIENCE_MS, &ended), 0);
	assert_ptr_equal(ended, q);
	assert_int_equal(vbm_request_code(q), code);
	assert_int_equal(vbm_free_request(q), 0);
}

static struct vbm_request *begin(struct vbm_resolver *r)
{
	struct vbm_request *q;

	assert_int_equal(vbm_start_request(r, "plain.test", "1", NULL, 0, NULL, &q), 0);
	return q;
}

/*
 * The child still has a socket open that the parent has closed. Answers that arrive there
 * must not wake anybody.
 */
TEST_BETWEEN(test_threads__a_child_that_stays, start_slow, stop)
{
	struct vbm_request *before, *after, *none;
	struct vbm_resolver *r;
	int hold[2], status;
	pid_t pid;

	assert_int_equal(pipe(hold), 0);
	assert_int_equal(vbm_resolver_new(&world.cfg, &r), 0);
	before = begin(r);
	pid = child_that_stays(hold);
	assert_int_equal(vbm_cancel_request(before), 0);
	end(r, before, EAI_CANCELED);
	world_file(&world, "resolv.conf", "nameserver 127.0.0.1\noptions timeout:20 attempts:1\n");
	after = begin(r);
	end(r, after, 0);
	assert_int_equal(vbm_next_request(r, 100, &none), -1);
	assert_int_equal(vbm_destroy_resolver(r), 0);
	close(hold[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(hold[0]);
}

/* The questions so far. All questions before the one for this name have arrived. */
static unsigned int all_questions(void)
{
	struct rdma_addrinfo *res;

	assert_int_equal(vbm_gai_translate(&world.cfg, "plain.test", "1", NULL, &res), 0);
	vbm_freeaddrinfo(res);
	return wrong_dns_questions(world.wrong);
}

static void ignore(struct request *r)
{
	(void)r;
}

/* In a child: an engine with more requests than may ask at the same time is dropped. */
static int drop_all(struct engine *e, struct request *requests)
{
	vbm_engine_cut(e);
	for (int i = 0; i < CROWD; i++)
		vbm_request_clear(&requests[i]);
	vbm_engine_close(e);
	return e->asking || e->requests || !ring_empty(&e->waiting);
}

/* When a request ends in the child, the next one does not get its turn. */
TEST(test_threads__a_child_asks_for_none)
{
	static struct request requests[CROWD];
	unsigned int asked;
	struct engine e;
	int status;
	pid_t pid;

	vbm_engine_init(&e, &world.cfg);
	for (int i = 0; i < CROWD; i++) {
		assert_int_equal(vbm_hints_check(&requests[i].work.q, NULL), 0);
		assert_int_equal(vbm_request_init(&requests[i], &e, true), 0);
		requests[i].over = ignore;
		vbm_request_begin(&requests[i], "drop.test", "1");
	}
	assert_false(ring_empty(&e.waiting));
	asked = all_questions();
	pid = fork();
	if (!pid)
		_exit(drop_all(&e, requests));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(all_questions(), asked + 2);
	assert_int_equal(drop_all(&e, requests), 0);
}
