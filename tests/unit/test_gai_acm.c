/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/routes.c lib/resolve/engine.c */
#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/resolve/acm-codec.h"
#include "base/clock.h"
#include "gai_help.h"
#include "lib/resolve/getaddrinfo.h"
#include "resolver-setup.h"
#include "lib/resolve/resolver.h"

/* A path service that sends exactly the bytes that the test gives it. */
struct service {
	int listener;
	pthread_t thread;
	uint8_t reply[ACM_MOST + 64];
	size_t len;
	bool silent;
	int failures;		/* requests that fail before the reply */
	uint8_t request[ACM_MOST];
	size_t request_len;
	unsigned int connections;
};

static struct world world;
static struct service service;

static void put(uint8_t *buf, size_t *len, uint32_t flags, uint16_t type, const void *info, size_t size)
{
	memset(buf + *len, 0, ACM_ENTRY);
	memcpy(buf + *len, &flags, 4);
	memcpy(buf + *len + 4, &type, 2);
	memcpy(buf + *len + 8, info, size);
	*len += ACM_ENTRY;
}

static void put_header(uint8_t *buf, size_t len)
{
	uint16_t n = (uint16_t)len;

	memset(buf, 0, ACM_HEADER);
	buf[0] = 1;
	buf[1] = 0x81;
	memcpy(buf + 6, &n, 2);
}

/* Two paths and a source. */
static size_t good_reply(uint8_t *buf)
{
	struct ibv_path_record path = {.mtu = 0x84, .pkey = 0xffff};
	size_t len = ACM_HEADER;

	path.sgid.raw[15] = 1;
	path.dgid.raw[15] = 2;
	put(buf, &len, 0x2b, 0x10, &path, sizeof(path));
	put(buf, &len, 1, 2, &((struct sockaddr_in *)(void *)sock("127.0.0.9", 0))->sin_addr, 4);
	path.dgid.raw[15] = 3;
	put(buf, &len, 0x28, 0x10, &path, sizeof(path));
	put_header(buf, len);
	return len;
}

/* Answer a request with a failure; the connection stays. */
static void fail_request(int fd)
{
	uint8_t header[ACM_HEADER];

	put_header(header, sizeof(header));
	header[2] = 1;
	send(fd, header, sizeof(header), MSG_NOSIGNAL);
}

static void answer(struct service *s, int fd)
{
	ssize_t n = recv(fd, s->request, sizeof(s->request), 0);

	__atomic_add_fetch(&s->connections, 1, __ATOMIC_ACQ_REL);
	for (; s->failures; s->failures--) {
		fail_request(fd);
		n = recv(fd, s->request, sizeof(s->request), 0);
	}
	s->request_len = n > 0 ? (size_t)n : 0;
	if (!s->silent)
		send(fd, s->reply, s->len, MSG_NOSIGNAL);
	else
		n = recv(fd, s->request, 1, 0);	/* until the client has closed */
	close(fd);
}

static void *serve(void *arg)
{
	struct service *s = arg;

	for (;;) {
		int fd = accept(s->listener, NULL, NULL);

		if (fd < 0)
			return NULL;
		answer(s, fd);
	}
}

static int start(void **state)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	(void)state;
	world_open(&world);
	memset(&service, 0, sizeof(service));
	mkdir(world.cfg.run, 0700);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s/ibacm.sock", world.cfg.run);
	service.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(service.listener, (void *)&un, sizeof(un)) || listen(service.listener, 64))
		return -1;
	service.len = good_reply(service.reply);
	return pthread_create(&service.thread, NULL, serve, &service);
}

static int stop(void **state)
{
	(void)state;
	shutdown(service.listener, SHUT_RDWR);
	pthread_join(service.thread, NULL);
	close(service.listener);
	world_close(&world);
	return 0;
}

static struct rdma_addrinfo *resolve(int flags, int family)
{
	struct rdma_addrinfo h = {.ai_flags = flags, .ai_family = family}, *res;

	assert_int_equal(vbm_gai_translate(&world.cfg, "127.0.0.1", "7471", &h, &res), 0);
	check_list(res);
	return res;
}

TEST_BETWEEN(test_acm__routes_become_path_data, start, stop)
{
	struct rdma_addrinfo *res = resolve(0, AF_INET);
	struct ibv_path_data *path = res->ai_route;

	assert_int_equal(res->ai_route_len, 2 * sizeof(*path));
	assert_int_equal(path[0].flags, 0x2b);
	assert_int_equal(path[0].path.dgid.raw[15], 2);
	assert_int_equal(path[1].path.dgid.raw[15], 3);
	assert_string_equal(show(res->ai_src_addr), "127.0.0.9:0");
	assert_null(res->ai_next);
	assert_int_equal(res->ai_connect_len, 0);
	vbm_freeaddrinfo(res);
}

TEST_BETWEEN(test_acm__an_ib_entry_follows, start, stop)
{
	struct rdma_addrinfo *res = resolve(0, AF_UNSPEC), *ib = res->ai_next;

	assert_int_equal(res->ai_family, AF_INET);
	assert_non_null(ib);
	assert_int_equal(ib->ai_family, AF_IB);
	assert_string_equal(show(ib->ai_dst_addr), "gid ::2 sid 1061d2f");
	assert_int_equal(ib->ai_connect_len, 36);
	assert_int_equal(((uint8_t *)ib->ai_connect)[1], 0x40);
	assert_int_equal(ib->ai_route_len, 144);
	assert_string_equal(ib->ai_dst_canonname, "127.0.0.1");
	vbm_freeaddrinfo(res);
}

TEST_BETWEEN(test_acm__request_says_what_is_known, start, stop)
{
	struct ibv_path_record rec[2] = {{.pkey = 0x1234}, {.pkey = 0x5678}};
	struct rdma_addrinfo h = {.ai_route = rec, .ai_route_len = sizeof(rec),
		.ai_src_addr = sock("127.0.0.5", 0), .ai_src_len = 16}, *res;

	assert_int_equal(vbm_gai_translate(&world.cfg, "127.0.0.1", "1", &h, &res), 0);
	assert_string_equal(show(res->ai_src_addr), "127.0.0.5:0");
	assert_int_equal(service.request_len, ACM_HEADER + 4 * ACM_ENTRY);
	assert_int_equal(service.request[0], 1);
	assert_int_equal(service.request[1], 1);
	assert_int_equal(service.request[ACM_HEADER + 4], 2);
	assert_int_equal(service.request[ACM_HEADER + ACM_ENTRY], 2);
	assert_memory_equal(service.request + ACM_HEADER + 2 * ACM_ENTRY + 8, &rec[0], sizeof(rec[0]));
	assert_memory_equal(service.request + ACM_HEADER + 3 * ACM_ENTRY + 8, &rec[1], sizeof(rec[1]));
	vbm_freeaddrinfo(res);
}

TEST_BETWEEN(test_acm__not_asked, start, stop)
{
	struct rdma_addrinfo *res = resolve(RAI_NOROUTE, 0);

	assert_int_equal(res->ai_route_len, 0);
	vbm_freeaddrinfo(res);
	res = resolve(RAI_PASSIVE, 0);
	assert_int_equal(res->ai_route_len, 0);
	vbm_freeaddrinfo(res);
	assert_int_equal(__atomic_load_n(&service.connections, __ATOMIC_ACQUIRE), 0);
}

static void be_silent(void)
{
	service.silent = true;
	world.cfg.acm_ms = 300;
}

TEST_BETWEEN(test_acm__silence_ends_at_the_deadline, start, stop)
{
	int64_t begin = clock_now_ns();
	struct rdma_addrinfo *res;

	be_silent();
	res = resolve(0, 0);
	assert_true((clock_now_ns() - begin) / 1000000 >= 290);
	assert_int_equal(res->ai_route_len, 0);
	vbm_freeaddrinfo(res);
}

static struct vbm_request *begin(struct vbm_resolver *r, int timeout_ms)
{
	struct vbm_request *q;

	assert_int_equal(vbm_start_request(r, "127.0.0.1", "7471", NULL, timeout_ms, NULL, &q), 0);
	return q;
}

static void expect_end(struct vbm_resolver *r, const struct vbm_request *q, int code)
{
	struct vbm_request *ended;

	assert_int_equal(vbm_next_request(r, 10000, &ended), 0);
	assert_ptr_equal(ended, q);
	assert_int_equal(vbm_request_code(ended), code);
}

/* The service is silent, so all requests are under way when they end, each in another way. */
TEST_BETWEEN(test_acm__ended_while_it_is_asked, start, stop)
{
	struct vbm_request *cancelled, *timed_out, *patient, *none;
	struct rdma_addrinfo *res;
	struct vbm_resolver *r;

	be_silent();
	assert_int_equal(vbm_resolver_new(&world.cfg, &r), 0);
	for (int i = 0; i < 30; i++)
		assert_int_equal(vbm_free_request(begin(r, 0)), 0);
	cancelled = begin(r, 0);
	patient = begin(r, 0);
	timed_out = begin(r, 20);
	assert_int_equal(vbm_cancel_request(cancelled), 0);
	expect_end(r, cancelled, EAI_CANCELED);
	expect_end(r, timed_out, EAI_AGAIN);
	expect_end(r, patient, 0);
	assert_int_equal(vbm_next_request(r, 0, &none), -1);
	assert_int_equal(vbm_request_result(patient, &res), 0);
	assert_int_equal(res->ai_route_len, 0);
	vbm_freeaddrinfo(res);
	vbm_free_request(cancelled);
	vbm_free_request(patient);
	vbm_free_request(timed_out);
	assert_int_equal(vbm_destroy_resolver(r), 0);
}

TEST_BETWEEN(test_acm__no_source_in_the_reply, start, stop)
{
	struct ibv_path_record path = {.mtu = 4};
	struct rdma_addrinfo *res;
	size_t len = ACM_HEADER;

	put(service.reply, &len, 0x2b, 0x10, &path, sizeof(path));
	put_header(service.reply, len);
	service.len = len;
	res = resolve(0, 0);
	assert_int_equal(res->ai_route_len, 72);
	assert_int_equal(res->ai_src_len, 0);
	vbm_freeaddrinfo(res);
}

TEST_BETWEEN(test_acm__cut_at_every_byte, start, stop)
{
	size_t whole = service.len;

	for (service.len = 0; service.len < whole; service.len++) {
		struct rdma_addrinfo *res = resolve(0, 0);

		assert_int_equal(res->ai_route_len, 0);
		assert_int_equal(res->ai_src_len, 0);
		vbm_freeaddrinfo(res);
	}
}

/* An entry without a path has no effect on the other entries. */
TEST_BETWEEN(test_acm__a_failure_is_of_its_entry, start, stop)
{
	struct rdma_addrinfo h = {.ai_family = AF_INET}, *res;

	world_file(&world, "hosts", "127.0.0.1 x.test\n127.0.0.2 x.test\n127.0.0.3 x.test\n");
	service.failures = 2;
	assert_int_equal(vbm_gai_translate(&world.cfg, "x.test", "7471", &h, &res), 0);
	assert_int_equal(res->ai_route_len, 0);
	assert_int_equal(res->ai_next->ai_route_len, 0);
	assert_int_equal(res->ai_next->ai_next->ai_route_len, 2 * sizeof(struct ibv_path_data));
	assert_null(res->ai_next->ai_next->ai_next);
	assert_int_equal(__atomic_load_n(&service.connections, __ATOMIC_ACQUIRE), 1);
	vbm_freeaddrinfo(res);
}

/* Without a port in the file, the client uses the socket. */
TEST_BETWEEN(test_acm__a_port_file_without_a_port, start, stop)
{
	static const char *const said[] = {"", "0\n", "none\n", "-1\n", "65536\n", "123456\n",
					    "6125x\n", "99999999999999999999\n"};
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/ibacm.port", world.cfg.run);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		struct rdma_addrinfo *res;

		f = fopen(path, "we");
		assert_non_null(f);
		assert_true(fputs(said[i], f) >= 0);
		assert_int_equal(fclose(f), 0);
		res = resolve(0, AF_INET);
		if (res->ai_route_len != 2 * sizeof(struct ibv_path_data))
			fail_msg("'%s': no route", said[i]);
		vbm_freeaddrinfo(res);
	}
	unlink(path);
}

/* For any bytes, the decoded values are within their limits. */
TEST(test_acm__codec_takes_any_bytes)
{
	uint8_t good[ACM_MOST], bad[ACM_MOST];
	size_t len = good_reply(good);
	struct acm_reply reply;

	assert_true(vbm_acm_decode(good, len, &reply));
	assert_int_equal(reply.paths, 2);
	for (size_t bit = 0; bit < 8 * len; bit++) {
		memcpy(bad, good, len);
		bad[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (vbm_acm_decode(bad, len, &reply))
			assert_in_range(reply.paths, 0, ACM_ENTRIES);
	}
	for (size_t cut = 0; cut < len; cut++)
		assert_false(vbm_acm_decode(good, cut, &reply));
	good[2] = 3;
	assert_true(vbm_acm_decode(good, len, &reply));
	assert_int_equal(reply.status, 3);
	assert_int_equal(reply.paths, 0);
}
