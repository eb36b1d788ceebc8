/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "channel.h"
#include "gai_help.h"
#include "mem.h"
#include "resolver-setup.h"

static struct world world;
static struct liar *liar;
static struct vbm_channel *channel;

static int start_with(int delay_ms)
{
	world_open(&world);
	liar = liar_start(delay_ms);
	world.cfg.dns_port = liar_port(liar);
	return vbm_channel_new(&world.cfg, &channel, NULL);
}

static int start(void **state)
{
	(void)state;
	return start_with(0);
}

static int start_slow(void **state)
{
	(void)state;
	return start_with(50);
}

static int stop(void **state)
{
	int ret = vbm_destroy_channel(channel, NULL);

	(void)state;
	liar_stop(liar);
	world_close(&world);
	return ret;
}

static struct vbm_id *make_id(void)
{
	struct vbm_id *id;

	assert_int_equal(vbm_create_id(channel, NULL, &id, NULL), 0);
	return id;
}

static bool readable(void)
{
	struct pollfd p = {.fd = vbm_channel_fd(channel), .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* The next event is @id's, with this status; acknowledged. */
static void expect_event(struct vbm_id *id, int status)
{
	struct vbm_event *e;

	assert_int_equal(vbm_get_event(channel, &e, 10000, NULL), 0);
	assert_ptr_equal(e->id, id);
	assert_int_equal(e->event, status ? RDMA_CM_EVENT_ADDRINFO_ERROR :
			 RDMA_CM_EVENT_ADDRINFO_RESOLVED);
	assert_int_equal(e->status, status);
	assert_null(e->cm);
	vbm_ack_event(e);
}

static void expect_silence(void)
{
	struct vbm_event *e;

	assert_int_equal(vbm_get_event(channel, &e, 0, NULL), -EAGAIN);
	assert_false(readable());
}

static void expect_result(struct vbm_id *id, const char *want)
{
	struct rdma_addrinfo *res;

	assert_int_equal(vbm_query_addrinfo(id, &res), 0);
	check_list(res);
	assert_string_equal(show_list(res), want);
	vbm_freeaddrinfo(res);
	assert_int_equal(vbm_query_addrinfo(id, &res), -1);
	assert_int_equal(errno, ENOENT);
}

static void test_resolve__what_needs_no_server(void **state)
{
	struct vbm_id *id = make_id();

	(void)state;
	assert_int_equal(vbm_resolve_addrinfo(id, "192.0.2.1", "7471", NULL), 0);
	assert_true(readable());
	expect_event(id, 0);
	expect_silence();
	expect_result(id, "192.0.2.1:7471");
	assert_int_equal(vbm_resolve_addrinfo(id, "fixed.test", "roctest", NULL), 0);
	expect_event(id, 0);
	expect_result(id, "192.0.2.50:17473");
	assert_int_equal(vbm_resolve_addrinfo(id, "192.0.2.1", "nosuch", NULL), 0);
	expect_event(id, EAI_NONAME);
	assert_int_equal(vbm_resolve_addrinfo(id, NULL, NULL, NULL), 0);
	expect_event(id, EAI_NONAME);
	assert_int_equal(liar_questions(liar), 0);
	vbm_destroy_id(id, NULL);
}

static void test_resolve__names(void **state)
{
	struct rdma_addrinfo dns = {.ai_flags = RAI_DNS, .ai_family = AF_INET};
	struct vbm_id *id = make_id();

	(void)state;
	assert_int_equal(vbm_resolve_addrinfo(id, "plain.test", "1", NULL), 0);
	expect_event(id, 0);
	expect_result(id, "192.0.2.1:1");
	assert_int_equal(vbm_resolve_addrinfo(id, "plain.test", "1", &dns), 0);
	expect_event(id, 0);
	expect_result(id, "192.0.2.1:1");
	assert_int_equal(vbm_resolve_addrinfo(id, "rc3.test", "1", NULL), 0);
	expect_event(id, EAI_NONAME);
	assert_int_equal(vbm_resolve_addrinfo(id, "rc2.test", "1", NULL), 0);
	expect_event(id, EAI_AGAIN);
	assert_int_equal(vbm_resolve_addrinfo(id, "rc1.test", "1", NULL), 0);
	expect_event(id, EAI_FAIL);
	expect_silence();
	vbm_destroy_id(id, NULL);
}

static void refuse(struct vbm_id *id, const char *node, const char *service,
		   struct rdma_addrinfo h, int want)
{
	errno = 0;
	assert_int_equal(vbm_resolve_addrinfo(id, node, service, &h), -1);
	assert_int_equal(errno, want);
	expect_silence();
}

#define H(...) ((struct rdma_addrinfo){__VA_ARGS__})

static void test_resolve__refused_at_once_and_without_an_event(void **state)
{
	char name[80];
	struct vbm_id *id = make_id();

	(void)state;
	memset(name, 'x', sizeof(name));
	name[64] = '\0';
	assert_int_equal(vbm_resolve_addrinfo(NULL, "a", "1", NULL), -1);
	assert_int_equal(errno, EINVAL);
	refuse(id, "plain.test", "1", H(.ai_flags = 0x8000), EINVAL);
	refuse(id, "plain.test", "1", H(.ai_dst_len = 16), EINVAL);
	refuse(id, "plain.test", "1", H(.ai_family = 99), EAFNOSUPPORT);
	refuse(id, "plain.test", "1", H(.ai_qp_type = 99), EPROTOTYPE);
	refuse(id, NULL, "1", H(.ai_flags = RAI_DNS | RAI_SA), ENOTSUP);
	refuse(id, "plain.test", "1", H(.ai_flags = RAI_SA), ENOTSUP);
	refuse(id, NULL, NULL, H(.ai_flags = RAI_SA, .ai_src_len = 16, .ai_src_addr = sock("::", 0)), EINVAL);
	refuse(id, NULL, "0x1234", H(.ai_flags = RAI_SA), EINVAL);
	refuse(id, NULL, "name", H(.ai_flags = RAI_SA), EINVAL);
	refuse(id, NULL, name, H(.ai_flags = RAI_SA), EINVAL);
	assert_int_equal(vbm_resolve_addrinfo(id, "192.0.2.1", "1", NULL), 0);
	expect_event(id, 0);
	assert_int_equal(liar_questions(liar), 0);
	vbm_destroy_id(id, NULL);
}

static void test_resolve__one_request_at_a_time(void **state)
{
	struct rdma_addrinfo *res;
	struct vbm_id *id = make_id();

	(void)state;
	assert_int_equal(vbm_query_addrinfo(id, &res), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(vbm_query_addrinfo(NULL, &res), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(vbm_resolve_addrinfo(id, "192.0.2.1", "1", NULL), 0);
	assert_int_equal(vbm_query_addrinfo(id, &res), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(vbm_resolve_addrinfo(id, "192.0.2.1", "1", NULL), -1);
	assert_int_equal(errno, EBUSY);
	expect_event(id, 0);
	assert_int_equal(vbm_resolve_addrinfo(id, "192.0.2.1", "1", NULL), -1);
	assert_int_equal(errno, EBUSY);
	expect_result(id, "192.0.2.1:1");
	assert_int_equal(vbm_resolve_addrinfo(id, "rc3.test", "1", NULL), 0);
	expect_event(id, EAI_NONAME);
	assert_int_equal(vbm_query_addrinfo(id, &res), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(vbm_resolve_addrinfo(id, "192.0.2.1", "1", NULL), 0);
	expect_event(id, 0);
	vbm_destroy_id(id, NULL);	/* with a result nobody asked for */
}

static void test_resolve__arguments_are_copied(void **state)
{
	char node[] = "plain.test", service[] = "7471";
	struct sockaddr_in src;
	struct rdma_addrinfo h = {.ai_src_addr = (void *)&src, .ai_src_len = 16};
	struct vbm_id *id = make_id();

	(void)state;
	memcpy(&src, sock("192.0.2.7", 0), sizeof(src));
	assert_int_equal(vbm_resolve_addrinfo(id, node, service, &h), 0);
	memset(node, 'x', sizeof(node) - 1);
	memset(service, 'x', sizeof(service) - 1);
	memset(&src, 0xff, sizeof(src));
	memset(&h, 0xff, sizeof(h));
	expect_event(id, 0);
	expect_result(id, "192.0.2.1:7471");
	vbm_destroy_id(id, NULL);
}

static void test_resolve__cancel_and_timeout(void **state)
{
	int64_t begin;
	struct vbm_id *id = make_id();

	(void)state;
	assert_int_equal(vbm_cancel(id), -ENOENT);
	assert_int_equal(vbm_resolve_addrinfo(id, "drop.test", "1", NULL), 0);
	assert_int_equal(vbm_cancel(id), 0);
	assert_int_equal(vbm_cancel(id), -ENOENT);
	expect_event(id, EAI_CANCELED);
	expect_silence();
	vbm_set_timeout(id, 100);
	begin = clock_now_ns();
	assert_int_equal(vbm_resolve_addrinfo(id, "drop.test", "1", NULL), 0);
	expect_event(id, EAI_AGAIN);
	assert_in_range((clock_now_ns() - begin) / 1000000, 99, 900);
	vbm_set_timeout(id, 0);
	begin = clock_now_ns();
	assert_int_equal(vbm_resolve_addrinfo(id, "drop.test", "1", NULL), 0);
	expect_event(id, EAI_AGAIN);
	assert_in_range((clock_now_ns() - begin) / 1000000, 900, 5000);
	expect_silence();
	vbm_destroy_id(id, NULL);
}

static void test_resolve__destroyed_under_way(void **state)
{
	struct vbm_event *e;
	struct vbm_id *id;

	(void)state;
	for (int i = 0; i < 200; i++) {
		id = make_id();
		assert_int_equal(vbm_resolve_addrinfo(id, i % 2 ? "plain.test" : "192.0.2.1", "1", NULL), 0);
		vbm_destroy_id(id, NULL);
	}
	assert_int_equal(vbm_get_event(channel, &e, 200, NULL), -EAGAIN);
	id = make_id();
	assert_int_equal(vbm_resolve_addrinfo(id, "192.0.2.1", "1", NULL), 0);
	assert_int_equal(vbm_get_event(channel, &e, 0, NULL), 0);
	assert_int_equal(vbm_destroy_id(id, NULL), -EBUSY);
	assert_int_equal(vbm_destroy_channel(channel, NULL), -EBUSY);
	vbm_ack_event(e);
	assert_int_equal(vbm_destroy_id(id, NULL), 0);
	assert_int_equal(vbm_destroy_id(NULL, NULL), 0);
	assert_int_equal(vbm_destroy_channel(NULL, NULL), 0);
}

#define MANY 3000

/* Half are cancelled, some destroyed; every other one ends exactly once. */
static void test_resolve__thousands_of_cancels(void **state)
{
	static struct vbm_id *ids[MANY];
	static int ended[MANY];
	int cancelled = 0, left = MANY - MANY / 10;

	(void)state;
	memset(ended, 0, sizeof(ended));
	for (intptr_t i = 0; i < MANY; i++) {
		assert_int_equal(vbm_create_id(channel, (void *)i, &ids[i], NULL), 0);
		assert_int_equal(vbm_resolve_addrinfo(ids[i], i % 3 ? "plain.test" : "drop.test", "1", NULL), 0);
	}
	for (int i = 0; i < MANY; i++) {
		if (i % 10 == 7)
			vbm_destroy_id(ids[i], NULL);
		else if (i % 2 == 0 || i % 3 == 0)
			assert_int_equal(vbm_cancel(ids[i]), 0);
	}
	for (; left; left--) {
		struct vbm_event *e;

		assert_int_equal(vbm_get_event(channel, &e, 10000, NULL), 0);
		ended[(intptr_t)vbm_id_context(e->id)]++;
		cancelled += e->status == EAI_CANCELED;
		vbm_ack_event(e);
	}
	expect_silence();
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(ended[i], i % 10 != 7);
		if (ended[i])
			assert_int_equal(vbm_destroy_id(ids[i], NULL), 0);
	}
	assert_in_range(cancelled, MANY / 2, MANY);
}

/* What becomes of every tenth of many requests. */
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

static void begin(struct vbm_id *id, size_t fate)
{
	vbm_set_timeout(id, fates[fate].timeout_ms);
	assert_int_equal(vbm_resolve_addrinfo(id, fates[fate].node, fates[fate].service, NULL), 0);
	if (fates[fate].cancelled)
		assert_int_equal(vbm_cancel(id), 0);
}

static void test_resolve__one_event_for_each_of_many(void **state)
{
	static struct vbm_id *ids[30 * FATES];
	static int ended[30 * FATES];
	size_t count = 30 * FATES;
	struct vbm_event *e;

	(void)state;
	memset(ended, 0, sizeof(ended));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(vbm_create_id(channel, (void *)i, &ids[i], NULL), 0);
		begin(ids[i], i % FATES);
	}
	for (size_t i = 0; i < count; i++) {
		size_t which;

		assert_int_equal(vbm_get_event(channel, &e, 10000, NULL), 0);
		which = (uintptr_t)vbm_id_context(e->id);
		ended[which]++;
		assert_int_equal(e->status, fates[which % FATES].status);
		assert_int_equal(e->event, e->status ? RDMA_CM_EVENT_ADDRINFO_ERROR :
				 RDMA_CM_EVENT_ADDRINFO_RESOLVED);
		vbm_ack_event(e);
	}
	/* Answers to what was cancelled come later, and are nobody's. */
	assert_int_equal(vbm_get_event(channel, &e, 200, NULL), -EAGAIN);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(ended[i], 1);
		assert_int_equal(vbm_cancel(ids[i]), -ENOENT);
		vbm_destroy_id(ids[i], NULL);
	}
}

static void test_resolve__a_thousand_names_at_once(void **state)
{
	static struct vbm_id *ids[1000];
	int64_t begin = clock_now_ns(), ms;
	char name[32];

	(void)state;
	assert_in_range(sizeof(struct request) + sizeof(struct vbm_id), 1, 3500);
	for (int i = 0; i < 1000; i++) {
		ids[i] = make_id();
		snprintf(name, sizeof(name), "n%d.test", i);
		assert_int_equal(vbm_resolve_addrinfo(ids[i], name, "1", NULL), 0);
	}
	ms = (clock_now_ns() - begin) / 1000000;
	assert_in_range(ms, 0, 400);
	for (int i = 0; i < 1000; i++) {
		struct vbm_event *e;

		assert_int_equal(vbm_get_event(channel, &e, 20000, NULL), 0);
		assert_int_equal(e->status, 0);
		vbm_ack_event(e);
	}
	ms = (clock_now_ns() - begin) / 1000000;
	print_message("# 1000 names, 50 ms each: %d ms\n", (int)ms);
	assert_in_range(ms, 50, 5000);
	for (int i = 0; i < 1000; i++) {
		expect_result(ids[i], "192.0.2.1:1");
		vbm_destroy_id(ids[i], NULL);
	}
}

static void test_resolve__configuration_changes_under_way(void **state)
{
	struct vbm_id *a = make_id(), *b = make_id();
	struct vbm_event *e;

	(void)state;
	assert_int_equal(vbm_resolve_addrinfo(a, "x.test", "1", NULL), 0);
	world_file(&world, "resolv.conf", "nameserver 127.0.0.2\noptions timeout:1 attempts:1\n");
	assert_int_equal(vbm_resolve_addrinfo(b, "x.test", "1", NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vbm_get_event(channel, &e, 10000, NULL), 0);
		assert_int_equal(e->status, e->id == a ? 0 : EAI_AGAIN);
		vbm_ack_event(e);
	}
	vbm_destroy_id(a, NULL);
	vbm_destroy_id(b, NULL);
}

struct worker {
	pthread_t thread;
	int good;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < 50; i++) {
		struct rdma_addrinfo *res = NULL;
		struct vbm_channel *own;
		struct vbm_event *e;
		struct vbm_id *id;

		if (vbm_channel_new(&world.cfg, &own, NULL) || vbm_create_id(own, NULL, &id, NULL))
			continue;
		if (!vbm_resolve_addrinfo(id, "plain.test", "1", NULL) &&
		    !vbm_get_event(own, &e, 10000, NULL)) {
			w->good += !e->status;
			vbm_ack_event(e);
		}
		if (!vbm_query_addrinfo(id, &res))
			vbm_freeaddrinfo(res);
		vbm_destroy_id(id, NULL);
		vbm_destroy_channel(own, NULL);
	}
	return NULL;
}

static void test_resolve__in_threads(void **state)
{
	struct worker w[8] = {0};

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	for (int i = 0; i < 8; i++) {
		pthread_join(w[i].thread, NULL);
		assert_int_equal(w[i].good, 50);
	}
}

static void *submit(void *arg)
{
	struct vbm_id **ids = arg;

	for (int i = 0; i < 100; i++)
		vbm_resolve_addrinfo(ids[i], "plain.test", "1", NULL);
	return NULL;
}

/* One thread waits for events, the others start requests. */
static void test_resolve__one_channel_in_threads(void **state)
{
	static struct vbm_id *ids[400];
	pthread_t t[4];

	(void)state;
	for (int i = 0; i < 400; i++)
		ids[i] = make_id();
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, submit, ids + i * 100), 0);
	for (int i = 0; i < 400; i++) {
		struct vbm_event *e;

		assert_int_equal(vbm_get_event(channel, &e, 10000, NULL), 0);
		assert_int_equal(e->status, 0);
		vbm_ack_event(e);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 400; i++)
		vbm_destroy_id(ids[i], NULL);
}

static void test_resolve__after_fork_a_channel_of_its_own(void **state)
{
	struct vbm_id *id = make_id();
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(vbm_resolve_addrinfo(id, "plain.test", "1", NULL), 0);
	expect_event(id, 0);
	pid = fork();
	if (!pid) {
		struct worker w = {0};

		work(&w);
		_exit(w.good == 50 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect_result(id, "192.0.2.1:1");
	vbm_destroy_id(id, NULL);
}

static void test_resolve__id_without_a_channel_waits(void **state)
{
	struct rdma_addrinfo *res;
	struct vbm_id *id;

	(void)state;
	assert_int_equal(vbm_create_id(NULL, NULL, &id, NULL), 0);
	assert_int_equal(vbm_resolve_addrinfo(id, "192.0.2.1", "1", NULL), 0);
	assert_int_equal(vbm_query_addrinfo(id, &res), 0);
	vbm_freeaddrinfo(res);
	assert_int_equal(vbm_resolve_addrinfo(id, "256.1.1.1", "1", NULL), -1);
	assert_int_equal(errno, ENOENT);
	vbm_destroy_id(id, NULL);
}

static int countdown;
static bool refused;

static bool allow(void)
{
	refused |= !countdown;
	return countdown-- != 0;
}

static void test_resolve__every_allocation_fails_once(void **state)
{
	struct vbm_id *id = make_id();

	(void)state;
	for (int n = 0; ; n++) {
		struct rdma_addrinfo *res;
		struct vbm_event *e;
		int ret;

		countdown = n;
		refused = false;
		vbm_mem_set_gate(allow);
		ret = vbm_resolve_addrinfo(id, "plain.test", "roctest", NULL);
		if (ret) {
			vbm_mem_set_gate(NULL);
			assert_int_equal(errno, ENOMEM);
			continue;
		}
		assert_int_equal(vbm_get_event(channel, &e, 10000, NULL), 0);
		vbm_mem_set_gate(NULL);
		assert_int_equal(e->status, refused ? EAI_MEMORY : 0);
		vbm_ack_event(e);
		if (!refused) {
			assert_int_equal(vbm_query_addrinfo(id, &res), 0);
			vbm_freeaddrinfo(res);
			break;
		}
	}
	vbm_destroy_id(id, NULL);
}

VBM_TESTS(cmocka_unit_test_setup_teardown(test_resolve__what_needs_no_server, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__names, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__refused_at_once_and_without_an_event, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__one_request_at_a_time, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__arguments_are_copied, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__cancel_and_timeout, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__destroyed_under_way, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__thousands_of_cancels, start_slow, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__one_event_for_each_of_many, start_slow, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__a_thousand_names_at_once, start_slow, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__configuration_changes_under_way, start_slow, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__in_threads, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__one_channel_in_threads, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__after_fork_a_channel_of_its_own, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__id_without_a_channel_waits, start, stop),
	  cmocka_unit_test_setup_teardown(test_resolve__every_allocation_fails_once, start, stop));
