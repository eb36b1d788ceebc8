/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: report/ladder.c report/output.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "codec/pcapng.h"
#include "report/variant.h"
#include "report/output.h"

static struct value *event(const char *kind, const char *host)
{
	struct value *e = value_map();

	value_set_string(e, "event", kind);
	value_set_int(e, "variant", 0);
	value_set_string(e, "name", "x");
	value_set_string(e, "host", host);
	return e;
}

static void step(struct ladder *l, int line, const char *answer, bool ok)
{
	auto_value struct value *e = event("step", "a");

	value_set_int(e, "line", line);
	value_set_string(e, "call", "post_send");
	value_set(e, "result", value_map());
	value_set_string(e, "text", answer);
	value_set_bool(e, "ok", ok);
	ladder_event(l, e);
}

static struct value *packet(const char *host, const char *way, int steps, const char *text, const char *note)
{
	struct value *e = event("packet", host);

	value_set_string(e, "way", way);
	value_set_int(e, "steps", steps);
	value_set_int(e, "ns", 1000000000LL + steps);
	value_set_string(e, "text", text);
	value_set_string(e, "data", "AAECAw==");
	if (note)
		value_set_string(e, "note", note);
	return e;
}

static void cross(struct ladder *l, const char *host, const char *way, int steps, const char *text, const char *note)
{
	auto_value struct value *e = packet(host, way, steps, text, note);

	ladder_event(l, e);
}

TEST(test_ladder__packets_stand_between_the_steps)
{
	struct ladder l = {0};
	auto_text struct text out = {0};

	step(&l, 8, "posted 1", true);
	cross(&l, "a", "out", 1, "RC SEND_FIRST", NULL);
	cross(&l, "b", "in", 1, "RC SEND_FIRST", "b.see_packet of line 9 saw it");
	cross(&l, "b", "in", 1, "RC RDMA", NULL);
	step(&l, 9, "posted 0", false);
	cross(&l, "b", "out", 2, "RC ACKNOWLEDGE", NULL);
	ladder_add(&l, "# ", &out);
	assert_string_equal(out.s,
			    "# what crossed the cables:\n"
			    "#   line 8: a.post_send: posted 1\n"
			    "#   a --> b RC SEND_FIRST (b.see_packet of line 9 saw it)\n"
			    "#     --> b RC RDMA\n"
			    "#   line 9: a.post_send: posted 0  <-- not as expected\n"
			    "#   b --x   RC ACKNOWLEDGE\n");
	ladder_fini(&l);
}

/* The first one was lost, and its successor with the same words arrived. */
TEST(test_ladder__what_arrives_is_the_last_that_was_sent)
{
	struct ladder l = {0};
	auto_text struct text out = {0};

	cross(&l, "a", "out", 0, "RC SEND_ONLY psn=7", "lost");
	cross(&l, "a", "out", 0, "RC SEND_ONLY psn=7", "again");
	cross(&l, "b", "in", 0, "RC SEND_ONLY psn=7", NULL);
	ladder_add(&l, "", &out);
	assert_string_equal(out.s,
			    "what crossed the cables:\n"
			    "  a --x   RC SEND_ONLY psn=7 (lost)\n"
			    "  a --> b RC SEND_ONLY psn=7 (again)\n");
	ladder_fini(&l);
}

static size_t lines_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

TEST(test_ladder__is_at_most_40_lines_and_has_the_failure)
{
	struct ladder l = {0};
	auto_text struct text out = {0};
	int i;

	for (i = 0; i < 300; i++) {
		step(&l, i + 1, i == 280 ? "bad" : "good", i != 280);
		if (i % 3 == 0)
			cross(&l, "a", "out", i + 1, "RC SEND_ONLY", NULL);
	}
	ladder_add(&l, "", &out);
	assert_in_range(lines_of(out.s), 20, LADDER_LINES);
	assert_non_null(strstr(out.s, "line 281: a.post_send: bad  <-- not as expected\n"));
	assert_non_null(strstr(out.s, ", without the first "));
	ladder_fini(&l);
}

TEST(test_ladder__without_packets_there_is_none)
{
	struct ladder l = {0};
	auto_text struct text out = {0};

	step(&l, 8, "bad", false);
	ladder_add(&l, "", &out);
	assert_int_equal(out.len, 0);
	ladder_fini(&l);
}

/* The types of the blocks. */
static void types(const struct text *t, char *into)
{
	uint32_t type, len;
	size_t at = 0;

	for (; at < t->len; at += len) {
		memcpy(&type, t->s + at, 4);
		memcpy(&len, t->s + at + 4, 4);
		*into++ = type == BLOCK_SECTION ? 'S' : type == BLOCK_INTERFACE ? 'I' : type == BLOCK_PACKET ? 'P' : '?';
	}
	*into = 0;
}

/* How many packets have this verdict, of type 2: XDP. */
static int verdicts(const struct text *out, uint64_t number)
{
	const uint16_t head[] = {PACKET_VERDICT, 1 + sizeof(number)};
	char option[sizeof(head) + 1 + sizeof(number)];
	const char *p = out->s;
	int n = 0;

	memcpy(option, head, sizeof(head));
	option[sizeof(head)] = 2;
	memcpy(option + sizeof(head) + 1, &number, sizeof(number));
	while ((p = memmem(p, (size_t)(out->s + out->len - p), option, sizeof(option)))) {
		p += sizeof(option);
		n++;
	}
	return n;
}

TEST(test_packet_file__an_interface_for_each_host_and_direction)
{
	static const char *const row[][2] = {{"a", "out"}, {"a", "out"}, {"b", "in"}, {"a", "in"}, {"b", "in"}};
	struct packet_file f = {0};
	auto_text struct text out = {0};
	char blocks[16];
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		auto_value struct value *e = packet(row[i][0], row[i][1], 0, "RC", i == 1 ? "dropped" : NULL);

		if (i == 1)
			value_set_bool(e, "taken", true);
		packet_file_add(&f, e, &out);
	}
	types(&out, blocks);
	assert_string_equal(blocks, "SIPPIPIPP");
	assert_non_null(memmem(out.s, out.len, "RC: dropped", 11));
	assert_int_equal(verdicts(&out, PCAPNG_DROPPED), 1);
	assert_int_equal(verdicts(&out, PCAPNG_PASSED), 0);
	packet_file_fini(&f);
}

/* A guest writes these events. */
TEST(test_packet_file__what_is_no_packet_adds_nothing)
{
	auto_value struct value *e = packet("a", "out", 0, "RC", NULL), *name = packet("a\nb", "in", 0, "RC", NULL);
	struct packet_file f = {0};
	auto_text struct text out = {0};
	char blocks[16];

	value_set_string(e, "data", "***");
	packet_file_add(&f, e, &out);
	assert_int_equal(out.len, 0);
	packet_file_add(&f, name, &out);
	packet_file_add(&f, name, &out);
	types(&out, blocks);
	assert_string_equal(blocks, "SIPP");
	packet_file_fini(&f);
}
