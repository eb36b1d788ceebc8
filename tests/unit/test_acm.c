/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: acm/ lib/resolve/acm-codec.c process/child.c */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "acm/answer.h"
#include "acm/responder.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "diag-help.h"
#include "lib/resolve/acm-codec.h"

/*
 * The harness's side of the protocol is tested against the library's. They were written
 * independently, so if each can read the messages of the other, both follow the protocol.
 */
static bool answer_of(struct acm_answer *a, const char *json, struct heard *h, bool references)
{
	struct diagnostics diag = {.references = references};
	auto_value struct value *v = must_read_json(json);
	bool ok;

	if (references)
		make_references(&v);
	ok = acm_answer_read(a, v, &diag);
	hear(h, &diag);
	return ok;
}

static void bad(const char *json, const char *complaint)
{
	struct acm_answer a;
	struct heard h;

	if (answer_of(&a, json, &h, false))
		fail_msg("accepted: %s", json);
	must_have_heard(&h, json, complaint);
}

/* The library's request, from 192.0.2.1 to 192.0.2.2. */
static size_t request(uint8_t buf[ACM_MOST], size_t paths)
{
	struct ibv_path_record path[2] = {
		{.dgid.raw = {[10] = 0xff, 0xff, 192, 0, 2, 3}, .pkey = htons(0x8001)},
		{.pkey = htons(0x8002)},
	};
	union addr src, dst;

	vbm_addr_set_in(&src, 0xc0000201, 0);
	vbm_addr_set_in(&dst, 0xc0000202, 7471);
	return vbm_acm_encode(buf, &(struct acm_request){
		.src = &src, .dst = &dst, .path = path, .paths = paths,
	});
}

/* Makes the answer that @json describes, and reads it with the library. */
static bool converse(const char *json, struct acm_reply *reply)
{
	struct acm_reply_bytes out;
	struct acm_question q;
	struct acm_answer a;
	struct heard h;
	uint8_t buf[ACM_MOST];
	size_t len = request(buf, 0);

	if (!answer_of(&a, json, &h, false))
		fail_msg("%s: %s", json, h.text);
	assert_true(acm_question_read(&q, buf, len));
	acm_reply_make(&out, &a, &q);
	return vbm_acm_decode(out.data, out.len, reply);
}

TEST(test_acm__a_request_is_understood)
{
	struct acm_question q;
	uint8_t buf[ACM_MOST];
	char text[ACM_TEXT];
	size_t len = request(buf, 2);

	assert_int_equal(acm_question_length(buf), len);
	assert_true(acm_question_read(&q, buf, len));
	acm_address_write(&q.src, text);
	assert_string_equal(text, "192.0.2.1");
	acm_address_write(&q.dst, text);
	assert_string_equal(text, "192.0.2.2");
	assert_int_equal(q.paths, 2);
	acm_address_write(&q.path_dgid, text);
	assert_string_equal(text, "192.0.2.3");
	assert_int_equal(q.path_pkey, 0x8001);
	assert_false(q.no_delay);
}

TEST(test_acm__what_is_no_request_is_refused)
{
	struct acm_question q;
	uint8_t buf[ACM_MOST];
	size_t len = request(buf, 0), i;

	for (i = 0; i < len; i++)
		assert_false(acm_question_read(&q, buf, i));
	buf[0] = 2;
	assert_false(acm_question_read(&q, buf, len));
	request(buf, 0);
	buf[1] = 0x81;
	assert_false(acm_question_read(&q, buf, len));
}

TEST(test_acm__an_answer_is_understood)
{
	struct acm_reply r;

	assert_true(converse("{\"source\": \"192.0.2.9\", \"paths\": [{}, {\"sgid\": \"fe80::1\","
			     " \"dgid\": \"fe80::2\", \"pkey\": 32769, \"flags\": 40}]}", &r));
	assert_int_equal(r.paths, 2);
	assert_int_equal(r.path[0].flags, 0x2b);
	assert_int_equal(r.path[0].path.pkey, htons(0xffff));
	assert_int_equal(r.path[0].path.sgid.raw[11], 0xff);
	assert_int_equal(r.path[0].path.sgid.raw[15], 1);
	assert_int_equal(r.path[0].path.dgid.raw[15], 2);
	assert_int_equal(r.path[1].flags, 40);
	assert_int_equal(r.path[1].path.pkey, htons(0x8001));
	assert_int_equal(r.path[1].path.sgid.raw[0], 0xfe);
	assert_int_equal(r.path[1].path.dgid.raw[15], 2);
	assert_int_equal(r.src.in.sin_addr.s_addr, inet_addr("192.0.2.9"));
}

TEST(test_acm__a_failure_has_no_entries)
{
	struct acm_reply_bytes out;
	struct acm_answer a = {.status = 3, .paths = 2};
	struct acm_question q = {0};
	struct acm_reply r;

	acm_reply_make(&out, &a, &q);
	assert_int_equal(out.len, ACM_HEAD_SIZE);
	assert_int_equal(out.data[2], 3);
	assert_true(vbm_acm_decode(out.data, out.len, &r));
	assert_int_equal(r.status, 3);
	assert_int_equal(r.paths, 0);
}

/* Each fault makes a message that the library refuses, or one without a path. */
TEST(test_acm__every_fault_is_one)
{
	const struct acm_word *w;
	struct acm_reply r;
	bool honest;

	for (w = acm_words; w->name; w++) {
		auto_free char *json = xasprintf("{\"fault\": \"%s\", \"source\": \"192.0.2.9\", "
						 "\"paths\": [{}, {}]}", w->name);

		honest = converse(json, &r) && r.paths;
		if (honest != !strcmp(w->name, "SPLIT"))
			fail_msg("%s: %s", w->name, honest ? "honest" : "not honest");
	}
}

/* No fault, with any contents, makes a reply longer than its buffer. */
TEST(test_acm__no_fault_overruns)
{
	struct acm_reply_bytes out;
	struct acm_question q = {0};
	struct acm_answer a = {0};
	enum acm_fault f;

	for (a.paths = 0; a.paths <= ACM_ITEMS; a.paths++) {
		for (f = ACM_HONEST; f < ACM_FAULTS; f++) {
			a.fault = f;
			a.source.set = true;
			acm_reply_make(&out, &a, &q);
			assert_true(out.len <= sizeof(out.data));
		}
	}
}

TEST(test_acm__mistakes_are_named)
{
	struct acm_answer a;
	struct heard h;

	bad("\"SILNT\"", "did you mean 'SILENT'?");
	bad("7", "'acm' takes a map");
	bad("{\"stauts\": 1}", "did you mean 'status'?");
	bad("{\"status\": 256}", "'status' takes a number from 0 to 255");
	bad("{\"source\": \"a.test\"}", "'source' takes an IP address");
	bad("{\"paths\": {}}", "'paths' takes a list");
	bad("{\"paths\": [1]}", "a path is a map");
	bad("{\"paths\": [{\"pkey\": 65536}]}", "'pkey' takes a number");
	bad("{\"paths\": [{\"lid\": 1}]}", "is not a key");
	bad("{\"paths\": [{},{},{},{},{},{},{},{},{}]}", "at most 8");
	bad("{\"source\": \"::1\", \"paths\": [{},{},{},{},{},{},{},{}]}", "cannot hold");
	bad("{\"source\": \"$a.ip4\"}", "'source' takes an IP address");
	bad("{\"tcp\": 6125}", "'tcp' takes true or false");
	assert_true(answer_of(&a, "{\"source\": \"$a.ip4\", \"status\": \"$x\"}", &h, true));
}

/* The service, and its socket. */
struct place {
	char dir[32];
	struct acm_responder responder;
};

static void place_open(struct place *p, const char *json)
{
	auto_value struct value *v = must_read_json(json);
	struct vbm_error err = {0};

	strcpy(p->dir, "/tmp/test-acm-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	if (acm_responder_start(&p->responder, p->dir, v, &err) < 0)
		fail_msg("%s", err.msg);
}

static void place_close(struct place *p)
{
	auto_free char *path = xasprintf("%s/ibacm.sock", p->dir);
	auto_free char *port = xasprintf("%s/ibacm.port", p->dir);

	acm_responder_stop(&p->responder);
	unlink(path);
	unlink(port);
	rmdir(p->dir);
}

static int place_connect(const struct place *p)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s/ibacm.sock", p->dir);
	assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	return fd;
}

static void has_noted(const struct place *p, const char *expected)
{
	struct vbm_error err = {0};
	char text[1024] = "";

	if (acm_responder_settle(p->responder.control_fd, clock_deadline_ms(5000), &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(pread(p->responder.log_fd, text, sizeof(text) - 1, 0) >= 0);
	assert_string_equal(text, expected);
}

TEST(test_acm__the_responder_answers_and_notes)
{
	uint8_t buf[ACM_MOST];
	struct acm_reply r;
	struct place p;
	size_t len = request(buf, 1);
	int fd;

	place_open(&p, "{\"source\": \"192.0.2.9\", \"paths\": [{}]}");
	has_noted(&p, "");
	fd = place_connect(&p);
	/* Twice on one connection; the second request comes in two pieces. */
	assert_int_equal(send(fd, buf, len, 0), len);
	assert_int_equal(send(fd, buf, 20, 0), 20);
	assert_int_equal(send(fd, buf + 20, len - 20, 0), len - 20);
	has_noted(&p, "connect\nresolve 192.0.2.1 192.0.2.2 1 0 192.0.2.3 32769\n"
		      "resolve 192.0.2.1 192.0.2.2 1 0 192.0.2.3 32769\n");
	assert_int_equal(recv(fd, buf, 160, MSG_WAITALL), 160);
	assert_true(vbm_acm_decode(buf, 160, &r));
	assert_int_equal(r.paths, 1);
	assert_int_equal(recv(fd, buf, 160, MSG_WAITALL), 160);
	close(fd);
	place_close(&p);
}

TEST(test_acm__garbage_ends_the_connection)
{
	uint8_t buf[ACM_MOST] = {9, 9, 9};
	struct place p;
	int fd;

	place_open(&p, "{}");
	fd = place_connect(&p);
	assert_int_equal(send(fd, buf, 40, 0), 40);
	has_noted(&p, "connect\ngarbage\n");
	assert_true(recv(fd, buf, 1, 0) <= 0);
	close(fd);
	place_close(&p);
}

TEST(test_acm__silence_is_silent)
{
	uint8_t buf[ACM_MOST];
	struct place p;
	size_t len = request(buf, 0);
	int fd;

	place_open(&p, "\"SILENT\"");
	fd = place_connect(&p);
	assert_int_equal(send(fd, buf, len, 0), len);
	has_noted(&p, "connect\nresolve 192.0.2.1 192.0.2.2 0 0 - 0\n");
	assert_int_equal(recv(fd, buf, 1, MSG_DONTWAIT), -1);
	close(fd);
	place_close(&p);
}

TEST(test_acm__over_tcp__the_port_is_in_its_file)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	auto_free char *path = NULL, *sock = NULL;
	auto_file FILE *f = NULL;
	uint8_t buf[ACM_MOST];
	struct acm_reply r;
	struct place p;
	size_t len = request(buf, 0);
	unsigned int port;
	int fd;

	place_open(&p, "{\"tcp\": true, \"paths\": [{}]}");
	sock = xasprintf("%s/ibacm.sock", p.dir);
	assert_int_equal(access(sock, F_OK), -1);
	path = xasprintf("%s/ibacm.port", p.dir);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u", &port), 1);
	in.sin_port = htons((uint16_t)port);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(send(fd, buf, len, 0), len);
	assert_int_equal(recv(fd, buf, 88, MSG_WAITALL), 88);
	assert_true(vbm_acm_decode(buf, 88, &r));
	assert_int_equal(r.paths, 1);
	has_noted(&p, "connect\nresolve 192.0.2.1 192.0.2.2 0 0 - 0\n");
	close(fd);
	place_close(&p);
}
