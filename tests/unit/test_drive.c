/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/drive.c */
/* The sockets of the handshake's drivers, on this host's loopback and without a device. */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/handshake/drive.h"

#define SKIPPED 77

/* In a network namespace of its own, where IPv6 sockets are for IPv6 only. */
static int listen_in_strict_namespace(void)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
	const char *call;
	socklen_t len = sizeof(int);
	int file, listener, rc, only = -1;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return SKIPPED;
	file = open("/proc/sys/net/ipv6/bindv6only", O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return SKIPPED;
	if (write(file, "1", 1) != 1)
		return 2;
	close(file);
	rc = vbm_handshake_listener(&listener, (struct sockaddr *)&any, sizeof(any), 1, &call);
	if (rc || call || listener < 0)
		return 3;
	if (getsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &only, &len))
		return 4;
	return only ? 5 : 0;
}

TEST(test_listener__of_both_families)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(listen_in_strict_namespace());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(test_listener__failures_name_the_call)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr none = {.sa_family = AF_UNSPEC};
	socklen_t len = sizeof(at);
	int first, second;
	const char *call;

	assert_int_equal(vbm_handshake_listener(&first, (struct sockaddr *)&at, len, 1, &call), 0);
	assert_int_equal(fcntl(first, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	assert_int_equal(fcntl(first, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	getsockname(first, (struct sockaddr *)&at, &len);
	assert_int_equal(vbm_handshake_listener(&second, (struct sockaddr *)&at, len, 1, &call), EADDRINUSE);
	assert_string_equal(call, "bind");
	assert_int_equal(second, -1);
	assert_int_equal(vbm_handshake_listener(&second, &none, sizeof(none), 1, &call), EAFNOSUPPORT);
	assert_string_equal(call, "socket");
	assert_int_equal(second, -1);
	close(first);
}

static int number(int socket, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(socket, level, name, &value, &len), 0);
	return value;
}

struct limits {
	int ms, on, idle, interval;
};

static void has_limits(int socket, int family, const struct limits *l)
{
	assert_int_equal(number(socket, SOL_SOCKET, SO_KEEPALIVE), l->on);
	assert_int_equal(family == AF_INET ? number(socket, IPPROTO_IP, IP_TOS) :
			 number(socket, IPPROTO_IPV6, IPV6_TCLASS), 0x68);
	assert_int_equal(number(socket, IPPROTO_IP, IP_TOS), 0x68);	/* also of an IPv6 socket: for IPv4 on it */
	if (l->on) {
		assert_int_equal(number(socket, IPPROTO_TCP, TCP_USER_TIMEOUT), l->ms);
		assert_int_equal(number(socket, IPPROTO_TCP, TCP_KEEPIDLE), l->idle);
		assert_int_equal(number(socket, IPPROTO_TCP, TCP_KEEPINTVL), l->interval);
	}
	close(socket);
}

/* A connection has the settings of its listener. */
static void ends_have_limits(const struct sockaddr *loopback, socklen_t len, const struct limits *l)
{
	int listener, client, family = loopback->sa_family;
	struct sockaddr_storage at;
	const char *call;

	assert_int_equal(vbm_handshake_listener_like(&listener, loopback, len, 1, l->ms, 0x68, &call), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	client = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	vbm_handshake_mind_peer(client, l->ms, 0x68);
	assert_int_equal(connect(client, (struct sockaddr *)&at, len), 0);
	has_limits(accept(listener, NULL, NULL), family, l);
	has_limits(client, family, l);
	close(listener);
}

TEST(test_mind_peer__of_both_ends)
{
	static const struct limits rows[] = {{-1, 0, 0, 0}, {1000, 1, 1, 1}, {10000, 1, 5, 1}, {40000, 1, 20, 5}};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ends_have_limits((struct sockaddr *)&in, sizeof(in), &rows[i]);
		ends_have_limits((struct sockaddr *)&in6, sizeof(in6), &rows[i]);
	}
}
