/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: codec/pcapng.c wire/capture.c */
#include "cmocka_all.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "wire/capture.h"
#include "codec/pcapng.h"

/* The number of @size bytes at @at, in this machine's byte order. */
static uint64_t number(const struct text *t, size_t at, size_t size)
{
	uint32_t n32;
	uint16_t n16;

	assert_true(at + size <= t->len);
	memcpy(&n16, t->s + at, sizeof(n16));
	if (size == 2)
		return n16;
	memcpy(&n32, t->s + at, sizeof(n32));
	return n32;
}

/* @t is exactly one block: it has the type, and the same length at both ends. */
static void assert_block(const struct text *t, uint32_t type)
{
	assert_int_equal(t->len % 4, 0);
	assert_int_equal(number(t, 0, 4), type);
	assert_int_equal(number(t, 4, 4), t->len);
	assert_int_equal(number(t, t->len - 4, 4), t->len);
}

/* Find the value of option @code among the options from @at on. Returns its length. */
static size_t find_option(const struct text *t, size_t at, uint16_t code, size_t *len)
{
	while (number(t, at, 2) != code) {
		assert_int_not_equal(number(t, at, 2), 0);
		at += 4 + (number(t, at + 2, 2) + 3) / 4 * 4;
	}
	*len = number(t, at + 2, 2);
	return at + 4;
}

static void assert_option(const struct text *t, size_t at, uint16_t code, const void *wanted,
			  size_t size)
{
	size_t len, where = find_option(t, at, code, &len);

	assert_int_equal(len, size);
	assert_memory_equal(t->s + where, wanted, size);
}

TEST(test_pcapng__section__magic_version_and_program)
{
	auto_text struct text t = {0};

	pcapng_section(&t, "verbatim 1");
	assert_block(&t, 0x0a0d0d0a);
	assert_int_equal(number(&t, 8, 4), 0x1a2b3c4d);
	assert_int_equal(number(&t, 12, 2), 1);
	assert_int_equal(number(&t, 14, 2), 0);
	/* The length of the section is unknown. */
	assert_int_equal(number(&t, 16, 4), UINT32_MAX);
	assert_int_equal(number(&t, 20, 4), UINT32_MAX);
	assert_option(&t, 24, 4, "verbatim 1", 10);
}

TEST(test_pcapng__interface__name_description_and_nanoseconds)
{
	auto_text struct text t = {0};

	pcapng_interface(&t, "vb-1-a", "host a: rxe");
	assert_block(&t, 1);
	assert_int_equal(number(&t, 8, 2), 1);
	assert_int_equal(number(&t, 12, 4), 0);
	assert_option(&t, 16, 2, "vb-1-a", 6);
	assert_option(&t, 16, 3, "host a: rxe", 11);
	assert_option(&t, 16, 9, "\x09", 1);
}

TEST(test_pcapng__packet__time_lengths_padding_and_way)
{
	static const uint32_t out = 2;
	auto_text struct text t = {0};

	pcapng_packet(&t, &(struct pcapng_packet){
		.interface = 3, .ns = 0x123456789abcdef0, .way = PCAPNG_OUT, .data = "abcde",
		.kept = 5, .len = 9,
	});
	assert_block(&t, 6);
	assert_int_equal(number(&t, 8, 4), 3);
	assert_int_equal(number(&t, 12, 4), 0x12345678);
	assert_int_equal(number(&t, 16, 4), 0x9abcdef0);
	assert_int_equal(number(&t, 20, 4), 5);
	assert_int_equal(number(&t, 24, 4), 9);
	assert_memory_equal(t.s + 28, "abcde\0\0\0", 8);
	assert_option(&t, 36, 2, &out, 4);
}

TEST(test_pcapng__counts__seen_lost_and_times)
{
	static const uint32_t begin[] = {1, 2}, end[] = {3, 4};
	const struct pcapng_counts c = {
		.begin_ns = 1ULL << 32 | 2, .end_ns = 3ULL << 32 | 4, .seen = 70000000000,
		.lost = 7,
	};
	auto_text struct text t = {0};

	pcapng_counts(&t, 1, &c);
	assert_block(&t, 5);
	assert_int_equal(number(&t, 8, 4), 1);
	assert_memory_equal(t.s + 12, end, 8);
	assert_option(&t, 20, 2, begin, 8);
	assert_option(&t, 20, 3, end, 8);
	assert_option(&t, 20, 4, &c.seen, 8);
	assert_option(&t, 20, 5, &c.lost, 8);
}

TEST(test_pcapng__cut_blocks__whole_ones_count)
{
	auto_text struct text t = {0};
	size_t first, second;

	pcapng_section(&t, "x");
	first = t.len;
	pcapng_interface(&t, "a", "b");
	second = t.len;
	assert_int_equal(pcapng_whole(t.s, 0), 0);
	assert_int_equal(pcapng_whole(t.s, 5), 0);
	assert_int_equal(pcapng_whole(t.s, first - 1), 0);
	assert_int_equal(pcapng_whole(t.s, first), first);
	assert_int_equal(pcapng_whole(t.s, second - 1), first);
	assert_int_equal(pcapng_whole(t.s, second), second);
}

static void add(struct backlog *b, uint64_t ns, const char *s)
{
	size_t before = b->bytes.len;

	text_add(&b->bytes, s);
	backlog_add(b, ns, before);
}

static void take(struct backlog *b, uint64_t ns, const char *wanted)
{
	auto_text struct text out = {0};

	backlog_take(b, ns, &out);
	assert_string_equal(out.s ? out.s : "", wanted);
}

TEST(test_backlog__order__by_time_then_as_they_came)
{
	struct backlog b = {0};

	take(&b, 100, "");
	add(&b, 30, "third ");
	add(&b, 10, "first ");
	add(&b, 50, "last");
	add(&b, 30, "fourth ");
	add(&b, 20, "second ");
	assert_int_equal(b.oldest_ns, 10);
	take(&b, 9, "");
	take(&b, 20, "first second ");
	assert_int_equal(b.oldest_ns, 30);
	add(&b, 25, "late ");
	take(&b, 30, "late third fourth ");
	take(&b, UINT64_MAX, "last");
	assert_int_equal(b.count, 0);
	assert_int_equal(b.bytes.len, 0);
	add(&b, 5, "more");
	assert_int_equal(b.oldest_ns, 5);
	backlog_fini(&b);
}

TEST(test_backlog__many__none_is_lost)
{
	struct backlog b = {0};
	auto_text struct text out = {0};
	unsigned i;

	for (i = 0; i < 5000; i++)
		add(&b, i * 7919 % 5000, "0123456789");
	for (i = 0; i < 5000; i += 100)
		backlog_take(&b, i, &out);
	backlog_take(&b, UINT64_MAX, &out);
	assert_int_equal(out.len, 50000);
	backlog_fini(&b);
}
