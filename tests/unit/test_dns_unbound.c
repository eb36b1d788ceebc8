/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: dns/unbound.c dns/unbound-control.c */
#include "cmocka_all.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "dns/unbound.h"
#include "dns/zone.h"
#include "resolver-setup.h"

#define PATIENCE_MS 20000
#define BROKEN "a.test. A what\n"
#define FLOOD 700	/* log messages of 160 bytes and more: too much for a pipe */

static int setup(void **state)
{
	const struct unbound_ports ports = {.dns = free_port(), .control = free_port()};
	struct vbm_error err = {0};
	struct unbound *u = NULL;
	const char *path;

	*state = NULL;
	if (unbound_find(&path, NULL) < 0)
		return 0;
	if (unbound_start(&u, &ports, dns_zone_empty, &err) < 0) {
		print_error("%s\n", err.msg);
		return -1;
	}
	*state = u;
	return 0;
}

static int teardown(void **state)
{
	unbound_stop(*state);
	return 0;
}

UNIT(.all = {setup, teardown});

#define UNBOUND(state)                                                        \
	struct unbound *u = *(state);                                         \
	struct vbm_error err = {0};                                           \
	if (!u) {                                                             \
		skip();                                                       \
		return;                                                       \
	}

/* The last byte of the address of a.test, or minus the response code. */
static int address_of_a(const struct unbound *u)
{
	static const char question[] = "\xab\xcd\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0";
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(unbound_port(u)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	auto_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint8_t msg[512];
	ssize_t n;

	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	/* With the NUL of the string, which is the second last byte of the question's class. */
	memcpy(msg, question, sizeof(question));
	msg[sizeof(question) - 1] = 1;
	assert_int_equal(send(fd, msg, sizeof(question), 0), sizeof(question));
	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	n = recv(fd, msg, sizeof(msg), 0);
	assert_true(n > 12);
	return msg[7] ? msg[n - 1] : -(msg[3] & 15);
}

static int serve_a(struct unbound *u, const char *record, struct vbm_error *err)
{
	char records[512];

	snprintf(records, sizeof(records), "%s%s", dns_zone_empty, record);
	return unbound_serve(u, records, err);
}

TEST(test_unbound__other_records__are_all_there_is)
{
	pid_t pid;

	UNBOUND(state)
	pid = unbound_pid(u);
	assert_int_equal(address_of_a(u), -3);
	assert_int_equal(serve_a(u, "a.test. A 192.0.2.1\n", &err), 0);
	assert_int_equal(address_of_a(u), 1);
	assert_int_equal(serve_a(u, "a.test. A 192.0.2.2\n", &err), 0);
	assert_int_equal(address_of_a(u), 2);
	assert_int_equal(serve_a(u, "", &err), 0);
	assert_int_equal(address_of_a(u), -3);
	assert_int_equal(unbound_pid(u), pid);
	assert_int_equal(unbound_check(u, &err), 0);
}

TEST(test_unbound__records_it_cannot_read__are_told)
{
	UNBOUND(state)
	assert_int_equal(serve_a(u, BROKEN, &err), -EIO);
	assert_non_null(strstr(err.msg, "does not accept the names"));
	assert_non_null(strstr(err.msg, "parse error"));
}

TEST(test_unbound__much_to_say__does_not_block_it)
{
	struct vbm_error last = {0};
	int i;

	UNBOUND(state)
	for (i = 0; i < FLOOD; i++)
		assert_int_equal(serve_a(u, BROKEN, &err), -EIO);
	if (serve_a(u, "a.test. A 192.0.2.1\n", &last) < 0)
		fail_msg("%s", last.msg);
	assert_int_equal(address_of_a(u), 1);
}

TEST(test_unbound__a_port_that_is_taken__is_told)
{
	struct unbound_ports ports = {.control = free_port()};
	struct unbound *second = NULL;

	UNBOUND(state)
	ports.dns = unbound_port(u);
	assert_int_equal(unbound_start(&second, &ports, dns_zone_empty, &err), -EIO);
	assert_non_null(strstr(err.msg, "unbound ended (status 1)"));
	assert_non_null(strstr(err.msg, "in use"));
}

TEST(test_unbound__ended__has_told_why)
{
	UNBOUND(state)
	assert_int_equal(serve_a(u, BROKEN, &err), -EIO);
	auto_close int pidfd = pidfd_open(unbound_pid(u), 0);
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	kill(unbound_pid(u), SIGKILL);
	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(unbound_check(u, &err), -EIO);
	assert_non_null(strstr(err.msg, "ended (signal 9)"));
	assert_non_null(strstr(err.msg, "parse error"));
	assert_true(serve_a(u, "", &err) < 0);
}

/* One server for all tests; one of them ends it. */
