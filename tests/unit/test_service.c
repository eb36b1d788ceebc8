/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/databases.c */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <verbatim/addrinfo.h>

#include "lib/resolve/databases.h"
#include "resolver-setup.h"

static const char database[] =
	"# a comment\n"
	"onlytcp\t17471/tcp\t\talias1 alias2 # not-this\n"
	"onlyudp 17472/udp\r\n"
	"both 1/tcp\nboth 2/udp\nboth 3/tcp\n"
	"bad1 70000/tcp\nbad2 x/tcp\nbad3 80\nbad4\nbad5 80/\n"
	"  indented  9/tcp\n"
	"last 10/udp";

static struct service_ports scan(const char *name)
{
	struct service_ports found;

	vbm_service_scan(database, sizeof(database) - 1, name, &found);
	return found;
}

TEST(test_service__numbers)
{
	static const char *const bad[] = {
		"65536", "99999", "4294967296", "18446744073709551617", "-1", "+1",
		"7471x", " 7471", "7471 ", "", "0x50", "7471\n", "1e3",
	};
	uint16_t port;

	assert_true(vbm_service_number("0", &port));
	assert_int_equal(port, 0);
	assert_true(vbm_service_number("7471", &port));
	assert_int_equal(port, 7471);
	assert_true(vbm_service_number("65535", &port));
	assert_int_equal(port, 65535);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (vbm_service_number(bad[i], &port))
			fail_msg("\"%s\" is no port", bad[i]);
}

TEST(test_service__database_lines)
{
	assert_true(scan("onlytcp").has_tcp);
	assert_false(scan("onlytcp").has_udp);
	assert_int_equal(scan("alias2").tcp, 17471);
	assert_int_equal(scan("onlyudp").udp, 17472);
	assert_int_equal(scan("both").tcp, 1);
	assert_int_equal(scan("both").udp, 2);
	assert_int_equal(scan("indented").tcp, 9);
	assert_int_equal(scan("last").udp, 10);
}

TEST(test_service__broken_lines_and_comments_do_not_count)
{
	static const char *const absent[] = {
		"not-this", "bad1", "bad2", "bad3", "bad4", "bad5", "ONLYTCP", "only", "tcp", "#",
	};

	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		struct service_ports found = scan(absent[i]);

		if (found.has_tcp || found.has_udp)
			fail_msg("\"%s\" was found", absent[i]);
	}
}

TEST(test_service__codes)
{
	struct world w;
	uint16_t port;

	world_open(&w);
	assert_int_equal(vbm_service_port(&w.cfg, NULL, false, &port), 0);
	assert_int_equal(port, 0);
	assert_int_equal(vbm_service_port(&w.cfg, "roctest", true, &port), 0);
	assert_int_equal(port, 17474);
	assert_int_equal(vbm_service_port(&w.cfg, "rt", false, &port), 0);
	assert_int_equal(port, 17473);
	assert_int_equal(vbm_service_port(&w.cfg, "onlytcp", true, &port), EAI_SERVICE);
	assert_int_equal(vbm_service_port(&w.cfg, "onlyudp", false, &port), EAI_SERVICE);
	assert_int_equal(vbm_service_port(&w.cfg, "onlyudp", true, &port), 0);
	assert_int_equal(vbm_service_port(&w.cfg, "nosuch", false, &port), EAI_NONAME);
	assert_int_equal(vbm_service_port(&w.cfg, "65536", false, &port), EAI_NONAME);
	assert_int_equal(vbm_service_port(&w.cfg, "", false, &port), EAI_NONAME);
	world_close(&w);
	assert_int_equal(vbm_service_port(&w.cfg, "roctest", false, &port), EAI_NONAME);
}

TEST(test_service__no_descriptor_left__is_a_system_error)
{
	struct rlimit old, none;
	struct world w;
	uint16_t port;
	int ret;

	world_open(&w);
	getrlimit(RLIMIT_NOFILE, &old);
	none = old;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	errno = 0;
	ret = vbm_service_port(&w.cfg, "roctest", false, &port);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(ret, EAI_SYSTEM);
	assert_int_equal(errno, EMFILE);
	world_close(&w);
}
