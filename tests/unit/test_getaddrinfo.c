/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/getaddrinfo.c lib/resolve/translation.c lib/resolve/result.c lib/base/fail.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <infiniband/sa.h>

#include "lib/base/addr.h"
#include "gai_help.h"
#include "lib/resolve/getaddrinfo.h"
#include "resolver-setup.h"

static struct world world;

static int setup(void **state)
{
	(void)state;
	world_open(&world);
	/* No server is there, and none should be asked. */
	world.cfg.dns_port = free_port();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

static int call(const char *node, const char *service, const struct rdma_addrinfo *h,
		struct rdma_addrinfo **res)
{
	struct rdma_addrinfo before = {0};
	int ret;

	if (h)
		before = *h;
	*res = (void *)1;
	ret = vbm_gai_translate(&world.cfg, node, service, h, res);
	if (h)
		assert_memory_equal(&before, h, sizeof(before));
	if (ret)
		assert_null(*res);
	check_list(*res);
	return ret;
}

static void expect(const char *node, const char *service, struct rdma_addrinfo h, const char *want)
{
	struct rdma_addrinfo *res;
	int ret = call(node, service, &h, &res);

	if (ret)
		fail_msg("%s %s: %d, not %s", node ? node : "-", service ? service : "-", ret, want);
	assert_string_equal(show_list(res), want);
	vbm_freeaddrinfo(res);
}

static void refuse(const char *node, const char *service, struct rdma_addrinfo h, int want)
{
	struct rdma_addrinfo *res;
	int ret = call(node, service, &h, &res);

	if (ret != want)
		fail_msg("%s %s: %d, not %d", node ? node : "-", service ? service : "-", ret, want);
}

#define H(...) ((struct rdma_addrinfo){__VA_ARGS__})

TEST_BETWEEN(test_gai__literals, setup, teardown)
{
	expect("192.0.2.1", "7471", H(0), "192.0.2.1:7471");
	expect("192.0.2.1", NULL, H(0), "192.0.2.1:0");
	expect("2001:db8::1", "0", H(0), "[2001:db8::1]:0");
	expect("192.0.2.1", "65535", H(.ai_family = AF_INET), "192.0.2.1:65535");
	expect("192.0.2.1", "roctest", H(0), "192.0.2.1:17473");
	expect("192.0.2.1", "roctest", H(.ai_qp_type = IBV_QPT_UD), "192.0.2.1:17474");
	expect("192.0.2.1", "roctest", H(.ai_qp_type = IBV_QPT_UD, .ai_port_space = RDMA_PS_IB),
	       "192.0.2.1:17474");
	expect("192.0.2.1", "1", H(.ai_flags = RAI_NUMERICHOST | RAI_NOROUTE | RAI_FAMILY),
	       "192.0.2.1:1");
}

TEST_BETWEEN(test_gai__no_hints_are_zero_hints, setup, teardown)
{
	struct rdma_addrinfo *res;

	assert_int_equal(call("192.0.2.1", "7471", NULL, &res), 0);
	assert_string_equal(show_list(res), "192.0.2.1:7471");
	assert_int_equal(res->ai_qp_type, IBV_QPT_RC);
	assert_int_equal(res->ai_port_space, RDMA_PS_TCP);
	vbm_freeaddrinfo(res);
	assert_int_equal(call(NULL, "7471", NULL, &res), 0);
	assert_non_null(strstr(show_list(res), "127.0.0.1:7471"));
	vbm_freeaddrinfo(res);
	assert_int_equal(call(NULL, NULL, NULL, &res), EAI_NONAME);
}

TEST_BETWEEN(test_gai__passive, setup, teardown)
{
	struct rdma_addrinfo *res;

	expect(NULL, "7471", H(.ai_flags = RAI_PASSIVE), "0.0.0.0:7471 [::]:7471");
	expect(NULL, "7471", H(.ai_flags = RAI_PASSIVE | RAI_NUMERICHOST, .ai_family = AF_INET6),
	       "[::]:7471");
	expect("192.0.2.1", NULL, H(.ai_flags = RAI_PASSIVE), "192.0.2.1:0");
	assert_int_equal(call("192.0.2.1", "7471", &H(.ai_flags = RAI_PASSIVE), &res), 0);
	assert_true(res->ai_flags & RAI_PASSIVE);
	assert_string_equal(res->ai_src_canonname, "192.0.2.1");
	assert_null(res->ai_dst_canonname);
	vbm_freeaddrinfo(res);
	/* The node decides, and not a source in the hints. */
	expect("192.0.2.1", "1", H(.ai_flags = RAI_PASSIVE, .ai_src_len = 28,
				   .ai_src_addr = sock("2001:db8::7", 5)), "192.0.2.1:1");
}

TEST_BETWEEN(test_gai__canonical_name_of_a_literal, setup, teardown)
{
	struct rdma_addrinfo *res;

	assert_int_equal(call("2001:DB8::1", "7471", NULL, &res), 0);
	assert_string_equal(res->ai_dst_canonname, "2001:DB8::1");
	assert_null(res->ai_src_canonname);
	vbm_freeaddrinfo(res);
}

TEST_BETWEEN(test_gai__families, setup, teardown)
{
	refuse("127.0.0.1", NULL, H(.ai_family = AF_INET6), EAI_ADDRFAMILY);
	refuse("::1", NULL, H(.ai_family = AF_INET), EAI_ADDRFAMILY);
	refuse("192.0.2.1", "1", H(.ai_family = AF_INET6, .ai_flags = RAI_FAMILY), EAI_ADDRFAMILY);
	refuse("192.0.2.1", "7471", H(.ai_family = AF_IB), EAI_ADDRFAMILY);
	refuse("192.0.2.1", "1", H(.ai_family = AF_IB, .ai_flags = RAI_FAMILY), EAI_ADDRFAMILY);
	refuse("some.test", "7471", H(.ai_family = AF_IB), EAI_ADDRFAMILY);
	refuse("::ffff:192.0.2.1", "7471", H(.ai_family = AF_IB), EAI_ADDRFAMILY);
	refuse("192.0.2.1", "1", H(.ai_family = AF_UNIX), EAI_FAMILY);
	refuse("192.0.2.1", "1", H(.ai_family = -1), EAI_FAMILY);
	refuse("192.0.2.1", "1", H(.ai_src_len = 28, .ai_src_addr = sock("::1", 0)), EAI_ADDRFAMILY);
	expect("::ffff:192.0.2.1", "7471", H(.ai_family = AF_IB, .ai_flags = RAI_FAMILY | RAI_NUMERICHOST),
	       "gid ::ffff:192.0.2.1 sid 1061d2f");
	expect("fe80::1", "1", H(.ai_family = AF_IB, .ai_flags = RAI_FAMILY, .ai_port_space = RDMA_PS_IB),
	       "gid fe80::1 sid 13f0001");
	expect(NULL, "2", H(.ai_family = AF_IB, .ai_flags = RAI_PASSIVE), "gid :: sid 1060002");
}

TEST_BETWEEN(test_gai__nodes_that_cannot_be, setup, teardown)
{
	static const char *const nodes[] = {
		"", "256.1.1.1", "127.1", "0x7f000001", "010.0.0.1", "fe80::1%nosuch", "a b",
	};

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		refuse(nodes[i], "7471", H(0), EAI_NONAME);
	refuse("fixed.test", "7471", H(.ai_flags = RAI_NUMERICHOST), EAI_NONAME);
	refuse("nosuch.test", "7471", H(.ai_flags = RAI_NUMERICHOST), EAI_NONAME);
}

TEST_BETWEEN(test_gai__huge_arguments, setup, teardown)
{
	size_t len = 10 << 20;
	char *huge = malloc(len + 1);

	memset(huge, '7', len);
	huge[len] = '\0';
	refuse(huge, "1", H(0), EAI_NONAME);
	refuse("192.0.2.1", huge, H(0), EAI_NONAME);
	memset(huge, 'x', len);
	refuse(huge, "1", H(0), EAI_NONAME);
	refuse("192.0.2.1", huge, H(0), EAI_NONAME);
	free(huge);
}

TEST_BETWEEN(test_gai__services, setup, teardown)
{
	static const char *const bad[] = {"65536", "-1", "7471x", " 7471", "", "nosuch"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuse("192.0.2.1", bad[i], H(0), EAI_NONAME);
	refuse("192.0.2.1", "onlytcp", H(.ai_qp_type = IBV_QPT_UD), EAI_SERVICE);
	expect("192.0.2.1", "onlytcp", H(.ai_qp_type = IBV_QPT_RC), "192.0.2.1:17471");
	refuse("192.0.2.1", "onlyudp", H(0), EAI_SERVICE);
	/* The service is checked before the node. */
	refuse("256.1.1.1", "onlyudp", H(0), EAI_SERVICE);
}

TEST_BETWEEN(test_gai__argument_faults, setup, teardown)
{
	struct rdma_addrinfo *res;

	errno = 0;
	assert_int_equal(vbm_gai_translate(&world.cfg, "::1", "1", NULL, NULL), -1);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(call("::1", "1", &H(.ai_dst_len = 16), &res), -1);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(call("::1", "1", &H(.ai_flags = RAI_DNS | RAI_SA), &res), EAI_BADFLAGS);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(call("::1", "1", &H(.ai_flags = RAI_SA), &res), -1);
	assert_int_equal(errno, ENOTSUP);
	expect("::1", "1", H(.ai_flags = RAI_DNS), "[::1]:1");
	refuse("192.0.2.1", "7471", H(.ai_qp_type = IBV_QPT_UD, .ai_port_space = RDMA_PS_TCP), EAI_QPTYPE);
	refuse(NULL, NULL, H(.ai_qp_type = IBV_QPT_UD, .ai_port_space = RDMA_PS_TCP,
			     .ai_dst_len = 16, .ai_dst_addr = sock("192.0.2.1", 1)), EAI_QPTYPE);
	refuse(NULL, NULL, H(0), EAI_NONAME);
	refuse(NULL, NULL, H(.ai_flags = RAI_PASSIVE), EAI_NONAME);
}

TEST_BETWEEN(test_gai__hosts_file, setup, teardown)
{
	struct rdma_addrinfo *res;

	world_file(&world, "hosts", "192.0.2.50 fixed.test fixed\n2001:db8::50 fixed.test\n");
	assert_int_equal(call("FIXED", "1", NULL, &res), 0);
	assert_string_equal(show_list(res), "192.0.2.50:1");
	assert_string_equal(res->ai_dst_canonname, "fixed.test");
	vbm_freeaddrinfo(res);
	expect("fixed.test", "1", H(.ai_family = AF_INET6), "[2001:db8::50]:1");
	assert_int_equal(call("fixed.test", "1", NULL, &res), 0);
	assert_non_null(res->ai_next);
	assert_string_equal(res->ai_next->ai_dst_canonname, "fixed.test");
	vbm_freeaddrinfo(res);
	expect("localhost", "1", H(.ai_family = AF_INET), "127.0.0.1:1");
	expect("a.localhost.", "1", H(.ai_family = AF_INET6), "[::1]:1");
}

TEST_BETWEEN(test_gai__hints_addresses, setup, teardown)
{
	struct sockaddr *v4 = sock("192.0.2.2", 7471), *v6 = sock("2001:db8::3", 9);
	struct rdma_addrinfo *res;

	expect(NULL, NULL, H(.ai_dst_addr = v4, .ai_dst_len = 16), "192.0.2.2:7471");
	expect(NULL, "99", H(.ai_dst_addr = v4, .ai_dst_len = 16), "192.0.2.2:99");
	expect(NULL, NULL, H(.ai_dst_addr = v6, .ai_dst_len = 64), "[2001:db8::3]:9");
	expect(NULL, NULL, H(.ai_src_addr = v4, .ai_src_len = 16, .ai_flags = RAI_PASSIVE), "192.0.2.2:7471");
	expect(NULL, "5", H(.ai_src_addr = v4, .ai_src_len = 16, .ai_flags = RAI_PASSIVE,
			    .ai_dst_addr = v6, .ai_dst_len = 28), "192.0.2.2:5");
	expect(NULL, NULL, H(.ai_dst_addr = v6, .ai_dst_len = 28, .ai_flags = RAI_PASSIVE), "[::]:0");
	refuse(NULL, NULL, H(.ai_dst_addr = v4, .ai_dst_len = 16, .ai_family = AF_INET6), EAI_ADDRFAMILY);
	refuse(NULL, NULL, H(.ai_dst_addr = v4, .ai_dst_len = 16, .ai_src_addr = v6, .ai_src_len = 28),
	       EAI_ADDRFAMILY);
	/* The node is preferred to a destination in the hints. */
	expect("192.0.2.2", "7471", H(.ai_dst_addr = sock("192.0.2.9", 1), .ai_dst_len = 16), "192.0.2.2:7471");

	assert_int_equal(call(NULL, NULL, &H(.ai_src_addr = v4, .ai_src_len = 16), &res), 0);
	assert_string_equal(show(res->ai_src_addr), "192.0.2.2:7471");
	assert_int_equal(res->ai_dst_len, 0);
	assert_int_equal(res->ai_family, AF_INET);
	assert_null(res->ai_src_canonname);
	vbm_freeaddrinfo(res);
	assert_int_equal(call("192.0.2.1", "1", &H(.ai_src_addr = v4, .ai_src_len = 16), &res), 0);
	assert_string_equal(show(res->ai_src_addr), "192.0.2.2:7471");
	vbm_freeaddrinfo(res);
}

static void gid4(union ibv_gid *gid, uint8_t last)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[10] = gid->raw[11] = 0xff;
	gid->raw[12] = 192;
	gid->raw[14] = 2;
	gid->raw[15] = last;
}

TEST_BETWEEN(test_gai__hints_route, setup, teardown)
{
	struct ibv_path_record rec[2] = {0};
	struct ibv_path_data data = {0};
	struct rdma_addrinfo *res;

	gid4(&rec[0].sgid, 1);
	gid4(&rec[0].dgid, 2);
	rec[0].service_id = htobe64(RDMA_IB_IP_PS_TCP + 7471);
	gid4(&rec[1].dgid, 3);
	data.path = rec[0];
	assert_int_equal(call(NULL, NULL, &H(.ai_route = rec, .ai_route_len = 64), &res), 0);
	assert_string_equal(show_list(res), "192.0.2.2:7471");
	assert_string_equal(show(res->ai_src_addr), "192.0.2.1:0");
	assert_int_equal(res->ai_route_len, 0);
	vbm_freeaddrinfo(res);
	expect(NULL, NULL, H(.ai_route = rec, .ai_route_len = 128), "192.0.2.2:7471 192.0.2.3:0");
	expect(NULL, "5", H(.ai_route = &data, .ai_route_len = 72), "192.0.2.2:5");
	expect(NULL, NULL, H(.ai_route = rec, .ai_route_len = 64, .ai_flags = RAI_PASSIVE), "192.0.2.1:7471");
	expect(NULL, NULL, H(.ai_route = rec, .ai_route_len = 64, .ai_family = AF_IB),
	       "gid ::ffff:192.0.2.2 sid 1061d2f");
	refuse(NULL, NULL, H(.ai_route = rec, .ai_route_len = 64, .ai_family = AF_INET6), EAI_ADDRFAMILY);
	memset(rec, 0, sizeof(rec));
	refuse(NULL, NULL, H(.ai_route = rec, .ai_route_len = 128), EAI_NONAME);
	expect("192.0.2.4", "5", H(.ai_route = &data, .ai_route_len = 72), "192.0.2.4:5");
}

/* A part that the caller puts into an entry is freed with it. */
TEST_BETWEEN(test_gai__parts_replaced_by_the_caller, setup, teardown)
{
	struct rdma_addrinfo *res, *foreign = calloc(1, sizeof(*foreign));

	assert_int_equal(call("192.0.2.1", "7471", NULL, &res), 0);
	res->ai_connect = malloc(8);
	res->ai_connect_len = 8;
	free(res->ai_dst_canonname);
	res->ai_dst_canonname = strdup("another");
	res->ai_src_addr = malloc(16);
	foreign->ai_dst_addr = malloc(16);
	foreign->ai_dst_canonname = strdup("of the system's library");
	foreign->ai_route = malloc(72);
	res->ai_next = foreign;
	vbm_freeaddrinfo(res);
}

/* A sysfs made by the test, with a RoCE device on the loopback interface. */
TEST_BETWEEN(test_gai__source_behind_an_rdma_device, setup, teardown)
{
	struct rdma_addrinfo *res;

	assert_int_equal(call("127.0.0.1", "7471", NULL, &res), 0);
	assert_int_equal(res->ai_src_len, 0);
	vbm_freeaddrinfo(res);
	world_gid(&world, 0, NULL, "");
	world_gid(&world, 1, "127.0.0.1", "elsewhere");
	assert_int_equal(call("127.0.0.1", "7471", NULL, &res), 0);
	assert_int_equal(res->ai_src_len, 0);
	vbm_freeaddrinfo(res);
	world_gid(&world, 1, "127.0.0.1", "lo");
	assert_int_equal(call("127.0.0.1", "7471", NULL, &res), 0);
	assert_string_equal(show(res->ai_src_addr), "127.0.0.1:0");
	vbm_freeaddrinfo(res);
}

TEST(test_gai__public_call_and_its_strings)
{
	static const int codes[] = {
		EAI_ADDRFAMILY, EAI_AGAIN, EAI_BADFLAGS, EAI_FAIL, EAI_FAMILY, EAI_MEMORY,
		EAI_NODATA, EAI_NONAME, EAI_SERVICE, EAI_QPTYPE, EAI_SYSTEM,
	};
	struct rdma_addrinfo *res;

	assert_int_equal(vbm_getaddrinfo("127.0.0.1", "7471", NULL, &res), 0);
	vbm_freeaddrinfo(res);
	vbm_freeaddrinfo(NULL);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		assert_string_not_equal(vbm_gai_strerror(codes[i]), "Unknown error");
		for (size_t k = 0; k < i; k++) {
			assert_int_not_equal(codes[i], codes[k]);
			assert_string_not_equal(vbm_gai_strerror(codes[i]), vbm_gai_strerror(codes[k]));
		}
	}
	assert_string_equal(vbm_gai_strerror(12345), "Unknown error");
}
