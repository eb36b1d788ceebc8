/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job-exec/join.c */
#include "cmocka_all.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "job-exec/join.h"
#include "event/emit.h"
#include "event/event.h"
#include "job/job.h"
#include "lib/base/fail.h"
#include "program/process-ns.h"
#include "../help/bare-fabric.h"
#include "../help/descriptors.h"
#include "diag-help.h"

/* Shells that join a run of two hosts, and the lines that they get. */
struct run {
	struct fabric *fabric;
	struct process_ns ns;
	struct value *spec;	/* owned */
	struct emitter emit;
	struct job job;
	struct join join;
	int descriptors;
};

static int begin(void **state)
{
	static struct run r;
	struct vbm_error err = {0};

	r = (struct run){.fabric = bare_fabric(LAYOUT_NETNS, 2), .ns = PROCESS_NS_CLOSED, .join = JOIN_NONE};
	r.descriptors = open_descriptors();
	r.spec = must_read_json("{\"job\": \"shell\", \"env\": {\"PATH\": \"/usr/bin:/bin\", \"TERM\": \"old\"}, "
				"\"env_bytes\": [], \"cwd\": \"/\"}");
	emit_init(&r.emit, memfd_create("events", MFD_CLOEXEC));
	r.job = (struct job){.spec = r.spec, .emit = &r.emit};
	assert_int_equal(process_ns_open(&r.ns, NULL), 0);
	if (join_start(&r.join, &r.job, r.fabric, &r.ns, &err) < 0)
		fail_msg("%s", err.msg);
	*state = &r;
	return 0;
}

static int end(void **state)
{
	struct run *r = *state;

	join_stop(&r->join);
	assert_int_equal(r->join.pid, 0);
	process_ns_close(&r->ns);
	close(r->emit.fd);
	value_free(r->spec);
	assert_int_equal(open_descriptors(), r->descriptors);
	fabric_free(r->fabric);
	return 0;
}

UNIT(.obstacle = bare_fabrics_obstacle, .all = {bare_fabrics_begin, bare_fabrics_end},
     .each = {begin, end});

static void tell(struct run *r, const char *json)
{
	auto_value struct value *line = must_read_json(json);

	assert_true(join_takes(&r->join, line));
}

static void tell_type(struct run *r, int number, const char *typed)
{
	auto_free char *data = base64_encode(typed, strlen(typed));
	auto_free char *json = xasprintf("{\"join\": %d, \"data\": \"%s\"}", number, data);

	tell(r, json);
}

/* All lines for shell @number: its text, and one line for the rest. */
static void all_told(const struct run *r, int number, struct text *out)
{
	auto_free char *all = NULL;
	char *pos, *line;

	text_clear(out);
	assert_int_equal(file_fd_read_whole(r->emit.fd, FILE_MAX, &all, NULL), 0);
	for (pos = all; (line = file_next_line(&pos));) {
		auto_value struct value *e = must_read_json(line);
		size_t len = 0;
		auto_free char *data = base64_decode(value_get_string(e, "data", ""), &len);

		assert_true(event_is(e, "terminal"));
		if (value_get_int(e, "join", -1) != number)
			continue;
		text_add_bytes(out, data, len);
		if (value_get_bool(e, "taken", false))
			text_add(out, "<taken>");
		if (value_get(e, "status"))
			text_addf(out, "<status %d>", (int)value_get_int(e, "status", -1));
		if (value_get(e, "error"))
			text_addf(out, "<%s>", value_get_string(e, "error", ""));
	}
}

/* Wait until shell @number has got this line. */
static void await(struct run *r, int number, const char *wanted, struct text *out)
{
	for (;;) {
		struct pollfd p = join_wants(&r->join);

		all_told(r, number, out);
		if (out->len && strstr(out->s, wanted))
			return;
		if (poll(&p, 1, 20000) != 1)
			fail_msg("no \"%s\" in: %s", wanted, out->len ? out->s : "");
		join_act(&r->join, &r->job, p.revents);
	}
}

#define ON_A "{\"join\": 1, \"host\": \"a\", \"shell\": \"/bin/sh\", \"term\": \"vt100\", \"cwd\": \"/usr\", " \
	     "\"rows\": 33, \"cols\": 99}"

TEST(test_join__shell__has_its_terminal_and_its_end)
{
	auto_text struct text out = {0};
	struct run *r = *state;

	tell(r, ON_A);
	tell_type(r, 1, "pwd; echo $TERM:$SHELL; stty size; exit 3\n");
	await(r, 1, "<status 3>", &out);
	assert_non_null(strstr(out.s, "/usr\r\n"));
	assert_non_null(strstr(out.s, "vt100:/bin/sh\r\n"));
	assert_non_null(strstr(out.s, "33 99\r\n"));
	assert_non_null(strstr(out.s, "<taken>"));
	/* The status is the last line. */
	assert_string_equal(out.s + out.len - strlen("<status 3>"), "<status 3>");
}

TEST(test_join__size__changes)
{
	auto_text struct text out = {0};
	struct run *r = *state;

	tell(r, ON_A);
	tell(r, "{\"join\": 1, \"rows\": 44, \"cols\": 55}");
	tell_type(r, 1, "stty size; exit 0\n");
	await(r, 1, "<status 0>", &out);
	assert_non_null(strstr(out.s, "44 55\r\n"));
}

/* Each shell gets its own lines only, and continues when the other has ended. */
TEST(test_join__two__have_a_shell_each)
{
	auto_text struct text one = {0}, two = {0};
	struct run *r = *state;

	tell(r, ON_A);
	tell(r, "{\"join\": 2, \"host\": \"b\", \"shell\": \"/bin/sh\", \"term\": \"x\", \"cwd\": \"/\"}");
	tell_type(r, 2, "echo to''-two; exit 4\n");
	await(r, 2, "<status 4>", &two);
	assert_non_null(strstr(two.s, "to-two\r\n"));
	tell_type(r, 1, "echo to''-one; exit 5\n");
	await(r, 1, "<status 5>", &one);
	assert_non_null(strstr(one.s, "to-one\r\n"));
	assert_null(strstr(one.s, "to-two"));
}

TEST(test_join__unknown_host__is_answered)
{
	auto_text struct text out = {0};
	struct run *r = *state;

	tell(r, "{\"join\": 7, \"host\": \"c\"}");
	await(r, 7, "<the run has no host 'c'; it has a to b>", &out);
	tell(r, "{\"join\": 8, \"host\": \"\"}");
	await(r, 8, "<the run has no host ''", &out);
	/* Lines for a shell that does not exist, or has ended, are dropped. */
	tell_type(r, 7, "x");
	tell(r, "{\"join\": 7, \"hangup\": true}");
	tell(r, ON_A);
	tell_type(r, 1, "exit 6\n");
	await(r, 1, "<status 6>", &out);
}

/* A shell that the machine of the run lacks. */
TEST(test_join__missing_shell__is_sh)
{
	auto_text struct text out = {0};
	struct run *r = *state;

	tell(r, "{\"join\": 1, \"host\": \"a\", \"shell\": \"/not/there\", \"cwd\": \"/not/there\"}");
	tell_type(r, 1, "pwd; stty size; exit 7\n");
	await(r, 1, "<status 7>", &out);
	assert_non_null(strstr(out.s, "/\r\n"));
	assert_non_null(strstr(out.s, "24 80\r\n"));
}

TEST(test_join__hangup__ends_the_shell)
{
	auto_text struct text out = {0};
	struct run *r = *state;

	tell(r, ON_A);
	tell_type(r, 1, "echo up''-now; exec sleep 1000\n");
	await(r, 1, "up-now", &out);
	tell(r, "{\"join\": 1, \"hangup\": true}");
	await(r, 1, "<status 129>", &out);
}

/* Lines for others of a run are not for the joined shells. */
TEST(test_join__other_lines__are_for_others)
{
	auto_value struct value *line = must_read_json("{\"input\": \"eA==\"}");
	struct run *r = *state;

	assert_false(join_takes(&r->join, line));
}
