/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/resolver.c lib/resolve/request.c lib/cm/ */
#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "gai_help.h"
#include "lib/base/mem.h"
#include "resolver-setup.h"
#include "lib/resolve/resolver.h"

static struct world world;
static struct vbm_resolver *resolver;

static int open_with(int delay_ms)
{
	world_open(&world);
	world_serve_wrong(&world, delay_ms);
	return vbm_resolver_new(&world.cfg, &resolver);
}

static int open_quick(void **state)
{
	(void)state;
	return open_with(0);
}

static int open_slow(void **state)
{
	(void)state;
	return open_with(50);
}

static int shut(void **state)
{
	int ret = vbm_destroy_resolver(resolver);

	(void)state;
	world_close(&world);
	return ret;
}

UNIT(.each = {open_quick, shut});

static struct vbm_request *ask_for(const char *node, const char *service,
				   const struct rdma_addrinfo *hints, int timeout_ms, void *context)
{
	struct vbm_request *r = NULL;

	assert_int_equal(vbm_start_request(resolver, node, service, hints, timeout_ms, context, &r), 0);
	assert_non_null(r);
	return r;
}

static struct vbm_request *ask(const char *node, const char *service)
{
	return ask_for(node, service, NULL, 0, NULL);
}

static bool readable(void)
{
	struct pollfd p = {.fd = vbm_resolver_fd(resolver), .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static struct vbm_request *next(void)
{
	struct vbm_request *r = NULL;

	assert_int_equal(vbm_next_request(resolver, 10000, &r), 0);
	return r;
}

/* The next request to end is @r, with this code. */
static void expect_end(struct vbm_request *r, int code)
{
	assert_ptr_equal(next(), r);
	assert_int_equal(vbm_request_code(r), code);
}

static void expect_failure(struct vbm_request *r, int code)
{
	struct rdma_addrinfo *res;

	expect_end(r, code);
	assert_int_equal(vbm_request_result(r, &res), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(vbm_free_request(r), 0);
}

static void expect_silence(int ms)
{
	struct vbm_request *r;

	assert_int_equal(vbm_next_request(resolver, ms, &r), -1);
	assert_int_equal(errno, EAGAIN);
	assert_false(readable());
}

static void expect_result(struct vbm_request *r, const char *want)
{
	struct rdma_addrinfo *res;

	assert_int_equal(vbm_request_result(r, &res), 0);
	check_list(res);
	assert_string_equal(show_list(res), want);
	vbm_freeaddrinfo(res);
	assert_int_equal(vbm_request_result(r, &res), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(vbm_free_request(r), 0);
}

static void expect_success(struct vbm_request *r, const char *want)
{
	expect_end(r, 0);
	expect_result(r, want);
}

TEST(test_resolver__what_needs_no_server)
{
	struct vbm_request *r = ask("192.0.2.1", "7471");

	assert_true(readable());
	expect_end(r, 0);
	expect_silence(0);
	expect_result(r, "192.0.2.1:7471");
	expect_success(ask("fixed.test", "roctest"), "192.0.2.50:17473");
	expect_failure(ask("192.0.2.1", "nosuch"), EAI_NONAME);
	expect_failure(ask(NULL, NULL), EAI_NONAME);
	assert_int_equal(wrong_dns_questions(world.wrong), 0);
}

TEST(test_resolver__names)
{
	struct rdma_addrinfo dns = {.ai_flags = RAI_DNS, .ai_family = AF_INET};

	expect_success(ask("plain.test", "1"), "192.0.2.1:1");
	expect_success(ask_for("plain.test", "1", &dns, 0, NULL), "192.0.2.1:1");
	expect_failure(ask("rc3.test", "1"), EAI_NONAME);
	expect_failure(ask("rc2.test", "1"), EAI_AGAIN);
	expect_failure(ask("rc1.test", "1"), EAI_FAIL);
	expect_silence(0);
}

static void refuse(const char *node, const char *service, struct rdma_addrinfo h, int want)
{
	struct vbm_request *r;

	errno = 0;
	assert_int_equal(vbm_start_request(resolver, node, service, &h, 0, NULL, &r), -1);
	assert_int_equal(errno, want);
	expect_silence(0);
}

#define H(...) ((struct rdma_addrinfo){__VA_ARGS__})

TEST(test_resolver__refused_at_once_and_never_ended)
{
	refuse("plain.test", "1", H(.ai_flags = 0x8000), EINVAL);
	refuse("plain.test", "1", H(.ai_dst_len = 16), EINVAL);
	refuse("plain.test", "1", H(.ai_family = 99), EAFNOSUPPORT);
	refuse("plain.test", "1", H(.ai_qp_type = 99), EPROTOTYPE);
	refuse(NULL, "1", H(.ai_flags = RAI_SA), ENOTSUP);
	assert_int_equal(wrong_dns_questions(world.wrong), 0);
}

#define REFUSES_NULL(call) do {							\
	errno = 0;								\
	assert_int_equal(call, -1);						\
	assert_int_equal(errno, EINVAL);					\
} while (0)

TEST(test_resolver__null_is_EINVAL_everywhere)
{
	struct vbm_request *r = ask("192.0.2.1", "1");
	struct rdma_cm_id id = {0};
	struct rdma_addrinfo *res;

	REFUSES_NULL(vbm_create_resolver(NULL));
	REFUSES_NULL(vbm_destroy_resolver(NULL));
	REFUSES_NULL(vbm_resolver_fd(NULL));
	REFUSES_NULL(vbm_start_request(NULL, "a", "1", NULL, 0, NULL, &r));
	REFUSES_NULL(vbm_start_request(resolver, "a", "1", NULL, 0, NULL, NULL));
	REFUSES_NULL(vbm_next_request(NULL, 0, &r));
	REFUSES_NULL(vbm_next_request(resolver, 0, NULL));
	REFUSES_NULL(vbm_request_code(NULL));
	REFUSES_NULL(vbm_request_result(NULL, &res));
	REFUSES_NULL(vbm_request_result(r, NULL));
	REFUSES_NULL(vbm_cancel_request(NULL));
	REFUSES_NULL(vbm_free_request(NULL));
	errno = 0;
	assert_null(vbm_request_context(NULL));
	assert_int_equal(errno, EINVAL);
	REFUSES_NULL(vbm_create_id(NULL, NULL, NULL, RDMA_PS_TCP));
	REFUSES_NULL(vbm_destroy_id(NULL));
	REFUSES_NULL(vbm_migrate_id(NULL, NULL));
	REFUSES_NULL(vbm_get_cm_event(NULL, NULL));
	REFUSES_NULL(vbm_ack_cm_event(NULL));
	REFUSES_NULL(vbm_resolve_addrinfo(NULL, "a", "1", NULL));
	REFUSES_NULL(vbm_resolve_addrinfo(&id, "a", "1", NULL));
	REFUSES_NULL(vbm_query_addrinfo(NULL, &res));
	REFUSES_NULL(vbm_query_addrinfo(&id, NULL));
	REFUSES_NULL(vbm_cancel(NULL));
	expect_success(r, "192.0.2.1:1");
}

TEST(test_resolver__arguments_are_copied)
{
	char node[] = "plain.test", service[] = "7471";
	struct sockaddr_in src;
	struct rdma_addrinfo h = {.ai_src_addr = (void *)&src, .ai_src_len = 16};
	struct vbm_request *r;

	memcpy(&src, sock("192.0.2.7", 0), sizeof(src));
	r = ask_for(node, service, &h, 0, NULL);
	memset(node, 'x', sizeof(node) - 1);
	memset(service, 'x', sizeof(service) - 1);
	memset(&src, 0xff, sizeof(src));
	memset(&h, 0xff, sizeof(h));
	expect_success(r, "192.0.2.1:7471");
}

TEST(test_resolver__cancel_and_timeout)
{
	struct vbm_request *r;
	int64_t begin;

	world_patience(&world, 2);
	r = ask("drop.test", "1");
	assert_int_equal(vbm_request_code(r), EAI_INPROGRESS);
	assert_int_equal(vbm_cancel_request(r), 0);
	assert_int_equal(vbm_cancel_request(r), -1);
	assert_int_equal(errno, ENOENT);
	expect_failure(r, EAI_CANCELED);
	expect_silence(0);
	begin = clock_now_ns();
	expect_failure(ask_for("drop.test", "1", NULL, 100, NULL), EAI_AGAIN);
	assert_true((clock_now_ns() - begin) / 1000000 >= 99);
	begin = clock_now_ns();
	expect_failure(ask("drop.test", "1"), EAI_AGAIN);
	assert_true((clock_now_ns() - begin) / 1000000 >= 1900);
	expect_silence(0);
}

TEST(test_resolver__freed_under_way)
{
	struct vbm_request *r;

	for (int i = 0; i < 200; i++)
		assert_int_equal(vbm_free_request(ask(i % 2 ? "plain.test" : "192.0.2.1", "1")), 0);
	expect_silence(200);
	r = ask("192.0.2.1", "1");
	assert_int_equal(vbm_destroy_resolver(resolver), -1);
	assert_int_equal(errno, EBUSY);
	expect_end(r, 0);
	assert_int_equal(vbm_destroy_resolver(resolver), -1);
	assert_int_equal(vbm_free_request(r), 0);	/* with a result that nobody has taken */
}

#define MANY 3000

/* Half of them are cancelled, some freed; every other request ends exactly once. */
TEST_BETWEEN(test_resolver__thousands_of_cancels, open_slow, shut)
{
	static struct vbm_request *requests[MANY];
	static int ended[MANY];
	int cancelled = 0, left = MANY - MANY / 10;

	memset(ended, 0, sizeof(ended));
	for (intptr_t i = 0; i < MANY; i++)
		requests[i] = ask_for(i % 3 ? "plain.test" : "drop.test", "1", NULL, 0, (void *)i);
	for (int i = 0; i < MANY; i++) {
		if (i % 10 == 7)
			assert_int_equal(vbm_free_request(requests[i]), 0);
		else if (i % 2 == 0 || i % 3 == 0)
			assert_int_equal(vbm_cancel_request(requests[i]), 0);
	}
	for (; left; left--) {
		struct vbm_request *r = next();

		ended[(intptr_t)vbm_request_context(r)]++;
		cancelled += vbm_request_code(r) == EAI_CANCELED;
	}
	expect_silence(0);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(ended[i], i % 10 != 7);
		if (ended[i])
			assert_int_equal(vbm_free_request(requests[i]), 0);
	}
	assert_in_range(cancelled, MANY / 2, MANY);
}

/* The end of every tenth of many requests. */
static const struct {
	const char *node, *service;
	int status;
	bool cancelled;
	unsigned int timeout_ms;
} fates[] = {
	{"192.0.2.1", "7471", 0},
	{"plain.test", "roctest", 0},
	{"fixed.test", "1", 0},
	{"192.0.2.1", "nosuch", EAI_NONAME},
	{"rc3.test", "1", EAI_NONAME},
	{"rc2.test", "1", EAI_AGAIN},
	{"rc1.test", "1", EAI_FAIL},
	{"plain.test", "1", EAI_CANCELED, true},
	{"drop.test", "1", EAI_CANCELED, true},
	{"drop.test", "1", EAI_AGAIN, false, 100},
};

#define FATES (sizeof(fates) / sizeof(fates[0]))

static struct vbm_request *begin(uintptr_t which)
{
	size_t fate = which % FATES;
	struct vbm_request *r = ask_for(fates[fate].node, fates[fate].service, NULL,
					fates[fate].timeout_ms, (void *)which);

	if (fates[fate].cancelled)
		assert_int_equal(vbm_cancel_request(r), 0);
	return r;
}

TEST_BETWEEN(test_resolver__each_of_many_ends_once, open_slow, shut)
{
	static struct vbm_request *requests[30 * FATES];
	static int ended[30 * FATES];
	size_t count = 30 * FATES;

	memset(ended, 0, sizeof(ended));
	for (size_t i = 0; i < count; i++)
		requests[i] = begin(i);
	for (size_t i = 0; i < count; i++) {
		struct vbm_request *r = next();
		size_t which = (uintptr_t)vbm_request_context(r);

		ended[which]++;
		assert_int_equal(vbm_request_code(r), fates[which % FATES].status);
	}
	/* Answers to cancelled questions arrive later, and are ignored. */
	expect_silence(200);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(ended[i], 1);
		assert_int_equal(vbm_cancel_request(requests[i]), -1);
		vbm_free_request(requests[i]);
	}
}

TEST_BETWEEN(test_resolver__a_thousand_names_at_once, open_slow, shut)
{
	static struct vbm_request *requests[1000];
	int64_t begin = clock_now_ns(), ms;
	char name[32];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "n%d.test", i);
		requests[i] = ask(name, "1");
	}
	ms = (clock_now_ns() - begin) / 1000000;
	assert_in_range(ms, 0, 30000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(vbm_request_code(next()), 0);
	ms = (clock_now_ns() - begin) / 1000000;
	print_message("# 1000 names, 50 ms each: %d ms\n", (int)ms);
	assert_in_range(ms, 50, 30000);
	for (int i = 0; i < 1000; i++)
		expect_result(requests[i], "192.0.2.1:1");
}

TEST_BETWEEN(test_resolver__configuration_changes_under_way, open_slow, shut)
{
	struct vbm_request *a = ask("x.test", "1"), *b;

	world_file(&world, "resolv.conf", "nameserver 127.0.0.2\noptions timeout:1 attempts:1\n");
	b = ask("x.test", "1");
	for (int i = 0; i < 2; i++) {
		struct vbm_request *r = next();

		assert_int_equal(vbm_request_code(r), r == a ? 0 : EAI_AGAIN);
	}
	vbm_free_request(a);
	vbm_free_request(b);
}

struct worker {
	pthread_t thread;
	int good;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < 50; i++) {
		struct vbm_resolver *own;
		struct vbm_request *r, *ended;
		struct rdma_addrinfo *res = NULL;

		if (vbm_resolver_new(&world.cfg, &own))
			continue;
		if (!vbm_start_request(own, "plain.test", "1", NULL, 0, NULL, &r)) {
			w->good += !vbm_next_request(own, 10000, &ended) && ended == r &&
				!vbm_request_code(r);
			if (!vbm_request_result(r, &res))
				vbm_freeaddrinfo(res);
			vbm_free_request(r);
		}
		vbm_destroy_resolver(own);
	}
	return NULL;
}

TEST(test_resolver__in_threads)
{
	struct worker w[8] = {0};

	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	for (int i = 0; i < 8; i++) {
		pthread_join(w[i].thread, NULL);
		assert_int_equal(w[i].good, 50);
	}
}

static void *submit(void *arg)
{
	struct vbm_request *r;

	for (int i = 0; i < 100; i++)
		vbm_start_request(arg, "plain.test", "1", NULL, 0, NULL, &r);
	return NULL;
}

/* One thread waits for the ends, the others start requests. */
TEST(test_resolver__one_resolver_in_threads)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, submit, resolver), 0);
	for (int i = 0; i < 400; i++) {
		struct vbm_request *r = next();

		assert_int_equal(vbm_request_code(r), 0);
		vbm_free_request(r);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

TEST(test_resolver__after_fork_a_resolver_of_its_own)
{
	struct vbm_request *r = ask("plain.test", "1");
	int status;
	pid_t pid;

	expect_end(r, 0);
	pid = fork();
	if (!pid) {
		struct worker w = {0};

		work(&w);
		_exit(w.good == 50 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect_result(r, "192.0.2.1:1");
}

static void do_nothing(int signal)
{
	(void)signal;
}

TEST(test_resolver__a_signal_ends_the_wait)
{
	struct sigaction act = {.sa_handler = do_nothing}, old;
	struct itimerval soon = {.it_value.tv_usec = 50000, .it_interval.tv_usec = 50000};
	struct itimerval never = {0};
	struct vbm_request *r;

	sigaction(SIGALRM, &act, &old);
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_int_equal(vbm_next_request(resolver, -1, &r), -1);
	assert_int_equal(errno, EINTR);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
}

static int countdown;
static bool refused;

static bool allow(void)
{
	refused |= !countdown;
	return countdown-- != 0;
}

TEST(test_resolver__every_allocation_fails_once)
{
	for (int n = 0; ; n++) {
		struct vbm_request *r;
		int ret;

		countdown = n;
		refused = false;
		vbm_mem_set_filter(allow);
		ret = vbm_start_request(resolver, "plain.test", "roctest", NULL, 0, NULL, &r);
		if (ret) {
			vbm_mem_set_filter(NULL);
			assert_int_equal(errno, ENOMEM);
			continue;
		}
		r = next();
		vbm_mem_set_filter(NULL);
		assert_int_equal(vbm_request_code(r), refused ? EAI_MEMORY : 0);
		vbm_free_request(r);
		if (!refused)
			break;
	}
}
