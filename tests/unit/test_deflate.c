/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/deflate.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"

/* Bytes that cannot be compressed. */
static void fill_random(unsigned char *buf, size_t n)
{
	uint32_t x = 1;

	while (n--) {
		x = x * 1664525 + 1013904223;
		*buf++ = (unsigned char)(x >> 24);
	}
}

/* Pass @n bytes through both sides, @room bytes at a time. Returns the compressed length. */
static size_t pass(struct deflater *d, struct inflater *f, const unsigned char *in, size_t n,
		   size_t room)
{
	unsigned char *between = malloc(n + DEFLATE_GROWTH), *out = malloc(n + room);
	size_t len = deflater_run(d, in, n, between), got = 0;
	int ret;

	assert_true(len <= n + DEFLATE_GROWTH);
	inflater_feed(f, between, len);
	while ((ret = inflater_take(f, out + got, room)) > 0)
		got += (size_t)ret;
	assert_int_equal(ret, 0);
	assert_int_equal(got, n);
	assert_memory_equal(out, in, n);
	free(between);
	free(out);
	return len;
}

TEST(test_deflate__every_piece__arrives_at_once)
{
	struct deflater *d = deflater_new();
	struct inflater *f = inflater_new();
	unsigned char noise[65536];
	char line[200];
	size_t i, sum = 0;

	fill_random(noise, sizeof(noise));
	pass(d, f, noise, sizeof(noise), 100);
	pass(d, f, noise, 1, 1);
	for (i = 0; i < 100; i++) {
		memset(line, 'a' + (int)(i % 3), sizeof(line));
		sum += pass(d, f, (unsigned char *)line, sizeof(line), 64);
	}
	assert_true(sum < 100 * sizeof(line) / 5);
	deflater_free(d);
	inflater_free(f);
}

TEST(test_deflate__other_bytes__are_refused)
{
	struct inflater *f = inflater_new();
	char out[64];

	inflater_feed(f, "{\"plain\": 1}\n", 13);
	assert_int_equal(inflater_take(f, out, sizeof(out)), -EPROTO);
	inflater_free(f);
	deflater_free(NULL);
	inflater_free(NULL);
}

/* The check value in every description of this CRC. */
TEST(test_crc32__in_pieces__is_that_of_the_whole)
{
	assert_int_equal(deflate_crc32_add(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(deflate_crc32_add(deflate_crc32_add(0, "1234", 4), "56789", 5), 0xcbf43926);
}
