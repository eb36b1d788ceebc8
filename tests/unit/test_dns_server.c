/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: dns/server.c dns/proxy.c dns/proxy-tcp.c process/child.c */
#include "cmocka_all.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/value.h"
#include "dns/message.h"
#include "dns/server.h"
#include "dns/unbound.h"
#include "resolver-setup.h"

#define PATIENCE_MS 20000
#define SHORT_MS 100	/* no answer within this time counts as silence */

static const char zone[] =
	"{\"a.test\": {\"A\": \"192.0.2.1\"}, \"cn.test\": {\"CNAME\": \"a.test\"},"
	"\"empty.test\": \"NODATA\", \"ref.test\": \"REFUSED\", \"gone.test\": \"SILENT\","
	"\"below.gone.test\": {\"A\": \"192.0.2.7\"},"
	"\"rc1.test\": \"FORMERR\", \"half.test\": {\"A\": \"NODATA\", \"AAAA\": \"SERVFAIL\"},"
	"\"once.test\": {\"A\": \"192.0.2.2\", \"first\": \"SERVFAIL\"},"
	"\"slow.test\": {\"A\": \"192.0.2.3\", \"delay_ms\": 40},"
	"\"long.test\": {\"A\": \"192.0.2.4\", \"truncate\": true},"
	"\"to.rc1.test\": {\"CNAME\": \"RC1.test\"}, \"to.ref.test\": {\"CNAME\": \"ref.test\"},"
	"\"to.gone.test\": {\"CNAME\": \"gone.test\"}, \"to.half.test\": {\"CNAME\": \"half.test\"},"
	"\"to.twice.test\": {\"CNAME\": \"twice.test\"}, \"to.slow.test\": {\"CNAME\": \"slow.test\"},"
	"\"twice.test\": {\"A\": \"192.0.2.5\", \"first\": \"SERVFAIL\"},"
	"\"to.to.slow.test\": {\"CNAME\": \"to.slow.test\", \"delay_ms\": 40},"
	"\"to.long.test\": {\"CNAME\": \"long.test\"}, \"to.no.test\": {\"CNAME\": \"nobody.test\"},"
	"\"to.empty.test\": {\"CNAME\": \"empty.test\"},"
	"\"ring.test\": {\"CNAME\": \"gnir.test\"}, \"gnir.test\": {\"CNAME\": \"ring.test\"}}";

struct place {
	struct dns_pool *pool;
	struct dns_server *server;
	uint16_t port;
};

struct reply {
	int rcode, answers;
	bool truncated;
	size_t len;	/* 0: no answer */
	uint8_t msg[1024];
};

/* With ports of its own. An unbound that runs already keeps its ports. */
static int serve(struct place *p, struct vbm_error *err)
{
	const struct unbound_ports ports = {.dns = free_port(), .control = free_port()};
	struct dns_server_options opts = {
		.netns_fd = -1, .address = "127.0.0.1", .port = free_port(), .unbound = &ports,
	};
	auto_value struct value *v = json_read(zone, strlen(zone), NULL);

	p->port = opts.port;
	return dns_server_start(&p->server, p->pool, &opts, v, err);
}

static int setup(void **state)
{
	static struct place p;
	struct vbm_error err = {0};
	const char *path;

	*state = NULL;
	if (unbound_find(&path, NULL) < 0)
		return 0;
	p.pool = dns_pool_new();
	if (serve(&p, &err) < 0) {
		print_error("%s\n", err.msg);
		return -1;
	}
	*state = &p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	if (p) {
		dns_server_stop(p->server);
		dns_pool_free(p->pool);
	}
	return 0;
}

UNIT(.all = {setup, teardown});

static size_t question(uint8_t *msg, const char *name, unsigned int type)
{
	static const uint8_t head[12] = {0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
	size_t at = 12, n;

	memcpy(msg, head, 12);
	for (; *name; name += n + (name[n] == '.')) {
		n = strcspn(name, ".");
		msg[at++] = (uint8_t)n;
		memcpy(msg + at, name, n);
		at += n;
	}
	msg[at++] = 0;
	msg[at++] = (uint8_t)(type >> 8);
	msg[at++] = (uint8_t)type;
	msg[at++] = 0;
	msg[at++] = 1;
	return at;
}

static int dial(const struct place *p, int type)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(p->port)};
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static struct reply judge(struct reply r)
{
	if (r.len >= 12) {
		assert_int_equal(r.msg[0] << 8 | r.msg[1], 0xabcd);
		r.rcode = r.msg[3] & 15;
		r.truncated = r.msg[2] & 2;
		r.answers = r.msg[7];
	}
	return r;
}

static struct reply ask(const struct place *p, const char *name, unsigned int type, int ms)
{
	auto_close int fd = dial(p, SOCK_DGRAM);
	struct pollfd pf = {.fd = fd, .events = POLLIN};
	struct reply r = {0};
	size_t n = question(r.msg, name, type);
	ssize_t got;

	assert_int_equal(send(fd, r.msg, n, 0), n);
	if (poll(&pf, 1, ms) == 1) {
		got = recv(fd, r.msg, sizeof(r.msg), 0);
		r.len = got > 0 ? (size_t)got : 0;
	}
	return judge(r);
}

static struct reply ask_tcp(const struct place *p, const char *name, unsigned int type)
{
	auto_close int fd = dial(p, SOCK_STREAM);
	const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
	struct reply r = {0};
	uint8_t frame[1026];
	size_t n = question(frame + 2, name, type), have = 0;
	ssize_t got;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	frame[0] = 0;
	frame[1] = (uint8_t)n;
	/* In two parts, because a stream has no message boundaries. */
	assert_int_equal(send(fd, frame, 5, 0), 5);
	assert_int_equal(send(fd, frame + 5, n - 3, 0), n - 3);
	while (have < 2 || have < 2u + frame[1]) {
		got = recv(fd, frame + have, sizeof(frame) - have, 0);
		assert_true(got > 0);
		have += (size_t)got;
	}
	r.len = have - 2;
	memcpy(r.msg, frame + 2, r.len);
	return judge(r);
}

#define SERVER(state)                                                         \
	struct place *p = *(state);                                           \
	if (!p) {                                                             \
		skip();                                                       \
		return;                                                       \
	}

TEST(test_server__unbounds_answers__go_through)
{
	struct reply r;

	SERVER(state)
	r = ask(p, "a.test", DNS_TYPE_A, PATIENCE_MS);
	assert_int_equal(r.answers, 1);
	assert_memory_equal(r.msg + r.len - 4, "\xc0\x00\x02\x01", 4);
	assert_int_equal(ask(p, "cn.test", DNS_TYPE_A, PATIENCE_MS).answers, 2);
	r = ask(p, "empty.test", DNS_TYPE_AAAA, PATIENCE_MS);
	assert_int_equal(r.rcode, 0);
	assert_int_equal(r.answers, 0);
	assert_int_equal(ask(p, "other.test", DNS_TYPE_A, PATIENCE_MS).rcode, RCODE_NXDOMAIN);
	assert_int_equal(ask(p, "ref.test", DNS_TYPE_A, PATIENCE_MS).rcode, RCODE_REFUSED);
	assert_int_equal(ask(p, "gone.test", DNS_TYPE_A, SHORT_MS).len, 0);
	assert_int_equal(ask(p, "below.gone.test", DNS_TYPE_A, PATIENCE_MS).answers, 1);
}

TEST(test_server__rules__are_kept)
{
	int64_t began;

	SERVER(state)
	assert_int_equal(ask(p, "RC1.test", DNS_TYPE_A, PATIENCE_MS).rcode, RCODE_FORMERR);
	assert_int_equal(ask_tcp(p, "rc1.test", DNS_TYPE_A).rcode, RCODE_FORMERR);
	assert_int_equal(ask(p, "half.test", DNS_TYPE_A, PATIENCE_MS).rcode, 0);
	assert_int_equal(ask(p, "half.test", DNS_TYPE_AAAA, PATIENCE_MS).rcode, RCODE_SERVFAIL);
	assert_int_equal(ask(p, "once.test", DNS_TYPE_A, PATIENCE_MS).rcode, RCODE_SERVFAIL);
	assert_int_equal(ask(p, "once.test", DNS_TYPE_A, PATIENCE_MS).answers, 1);
	assert_int_equal(ask(p, "once.test", DNS_TYPE_AAAA, PATIENCE_MS).rcode, RCODE_SERVFAIL);
	began = clock_now_ns();
	assert_int_equal(ask(p, "slow.test", DNS_TYPE_A, PATIENCE_MS).answers, 1);
	assert_true(clock_now_ns() - began >= 40 * 1000000);
}

TEST(test_server__truncated__is_whole_over_tcp)
{
	struct reply r;

	SERVER(state)
	r = ask(p, "long.test", DNS_TYPE_A, PATIENCE_MS);
	assert_true(r.truncated);
	assert_int_equal(r.answers, 0);
	r = ask_tcp(p, "long.test", DNS_TYPE_A);
	assert_false(r.truncated);
	assert_int_equal(r.answers, 1);
}

/* Nothing else happens in that time that could wake the proxy. */
TEST(test_server__late_over_tcp__is_relayed)
{
	SERVER(state)
	assert_int_equal(ask_tcp(p, "slow.test", DNS_TYPE_A).answers, 1);
}

TEST(test_server__faults_behind_an_alias__are_its_own)
{
	int64_t began;

	SERVER(state)
	assert_int_equal(ask(p, "to.rc1.test", DNS_TYPE_A, PATIENCE_MS).rcode, RCODE_FORMERR);
	assert_int_equal(ask(p, "to.ref.test", DNS_TYPE_A, PATIENCE_MS).rcode, RCODE_REFUSED);
	assert_int_equal(ask(p, "to.gone.test", DNS_TYPE_A, SHORT_MS).len, 0);
	assert_int_equal(ask(p, "to.half.test", DNS_TYPE_A, PATIENCE_MS).rcode, 0);
	assert_int_equal(ask(p, "to.half.test", DNS_TYPE_AAAA, PATIENCE_MS).rcode, RCODE_SERVFAIL);
	assert_int_equal(ask(p, "to.twice.test", DNS_TYPE_A, PATIENCE_MS).rcode, RCODE_SERVFAIL);
	assert_int_equal(ask(p, "to.twice.test", DNS_TYPE_A, PATIENCE_MS).answers, 2);
	assert_true(ask(p, "to.long.test", DNS_TYPE_A, PATIENCE_MS).truncated);
	assert_int_equal(ask_tcp(p, "to.long.test", DNS_TYPE_A).answers, 2);
	began = clock_now_ns();
	assert_int_equal(ask(p, "to.to.slow.test", DNS_TYPE_A, PATIENCE_MS).answers, 3);
	assert_true(clock_now_ns() - began >= 80 * 1000000);
	/* A question for the CNAME itself gets no target. */
	assert_int_equal(ask(p, "to.rc1.test", DNS_TYPE_CNAME, PATIENCE_MS).answers, 1);
}

/* RFC 2308, 2.1: the response code is that of the last name. */
TEST(test_server__an_alias__has_the_code_of_its_end)
{
	struct reply r;

	SERVER(state)
	r = ask(p, "to.no.test", DNS_TYPE_A, PATIENCE_MS);
	assert_int_equal(r.rcode, RCODE_NXDOMAIN);
	assert_int_equal(r.answers, 1);
	r = ask(p, "to.empty.test", DNS_TYPE_A, PATIENCE_MS);
	assert_int_equal(r.rcode, 0);
	assert_int_equal(r.answers, 1);
	assert_int_equal(ask(p, "ring.test", DNS_TYPE_A, PATIENCE_MS).rcode, RCODE_SERVFAIL);
}

TEST(test_server__every_question__is_noted)
{
	char text[4096];
	ssize_t n;

	SERVER(state)
	assert_int_equal(ftruncate(dns_server_log_fd(p->server), 0), 0);
	ask(p, "a.Test", DNS_TYPE_A, PATIENCE_MS);
	ask_tcp(p, "nope.test", DNS_TYPE_AAAA);
	n = pread(dns_server_log_fd(p->server), text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	assert_string_equal(text, "udp A a.test\ntcp AAAA nope.test\n");
}

TEST(test_server__garbage__does_not_end_it)
{
	uint8_t junk[600];
	size_t n;

	SERVER(state)
	auto_close int udp = dial(p, SOCK_DGRAM);
	auto_close int tcp = dial(p, SOCK_STREAM);

	memset(junk, 0xff, sizeof(junk));
	for (n = 0; n < sizeof(junk); n += 37)
		assert_int_equal(send(udp, junk, n, 0), n);
	assert_int_equal(send(tcp, "\0\0\0\1x", 5, 0), 5);
	assert_int_equal(send(tcp, junk, sizeof(junk), 0), sizeof(junk));
	assert_int_equal(ask_tcp(p, "a.test", DNS_TYPE_A).answers, 1);
	assert_int_equal(ask(p, "a.test", DNS_TYPE_A, PATIENCE_MS).answers, 1);
}

TEST(test_server__killed__is_gone_once_told)
{
	struct pollfd pf = {.events = POLLIN};

	SERVER(state)
	pf.fd = dns_server_pidfd(p->server);
	assert_int_equal(pidfd_send_signal(pf.fd, SIGKILL, NULL, 0), 0);
	assert_int_equal(poll(&pf, 1, PATIENCE_MS), 1);
	/* No process has the port any more, so the network reports an error. */
	assert_int_equal(ask(p, "a.test", DNS_TYPE_A, PATIENCE_MS).len, 0);
}

/* The scenario that used unbound gets the error, and the next scenario gets a new unbound. */
TEST(test_server__unbound_ended__is_told_and_mended)
{
	struct vbm_error err = {0};

	SERVER(state)
	pid_t old = unbound_pid(dns_pool_unbound(p->pool));
	auto_close int pidfd = pidfd_open(old, 0);
	struct pollfd pf = {.fd = pidfd, .events = POLLIN};

	dns_server_stop(p->server);
	p->server = NULL;
	assert_int_equal(dns_pool_check(p->pool, NULL), 0);
	kill(old, SIGKILL);
	assert_int_equal(poll(&pf, 1, PATIENCE_MS), 1);
	assert_int_equal(dns_pool_check(p->pool, &err), -EIO);
	assert_non_null(strstr(err.msg, "unbound ended (signal 9)"));
	if (serve(p, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_not_equal(unbound_pid(dns_pool_unbound(p->pool)), old);
	assert_int_equal(ask(p, "a.test", DNS_TYPE_A, PATIENCE_MS).answers, 1);
}

/* One server for all tests; the last two tests end it. */
