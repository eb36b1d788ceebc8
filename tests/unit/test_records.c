/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: decode/records.c decode/read-pcap.c decode/read-pcapng.c codec/pcapng.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "decode/records.h"
#include "codec/pcapng.h"

#define NS 1795262837123456789ULL

static void put32(struct text *t, uint32_t n, bool swap)
{
	n = swap ? __builtin_bswap32(n) : n;
	text_add_bytes(t, (const char *)&n, sizeof(n));
}

/* A file of pcap with one packet of 4 bytes, cut from 60. */
static void pcap(struct text *t, uint32_t magic, uint32_t fraction, bool swap)
{
	put32(t, magic, swap);
	put32(t, 0x00040002, swap);
	put32(t, 0, swap);
	put32(t, 0, swap);
	put32(t, 65535, swap);
	put32(t, 1, swap);
	put32(t, (uint32_t)(NS / 1000000000), swap);
	put32(t, fraction, swap);
	put32(t, 4, swap);
	put32(t, 60, swap);
	text_add_bytes(t, "abcd", 4);
}

static void assert_one(const struct text *t, uint64_t ns)
{
	struct records r;
	struct records_packet record;
	struct vbm_error err = {0};

	assert_int_equal(records_begin(&r, t->s, t->len, &err), 0);
	assert_int_equal(records_next(&r, &record, &err), 1);
	assert_int_equal(record.number, 1);
	assert_true(record.ns == ns);
	assert_int_equal(record.kept, 4);
	assert_int_equal(record.len, 60);
	assert_memory_equal(record.bytes, "abcd", 4);
	assert_int_equal(r.interface[record.interface].link, 1);
	assert_int_equal(records_next(&r, &record, &err), 0);
	records_end(&r);
}

TEST(test_records__pcap__both_orders_and_resolutions)
{
	static const struct {
		uint32_t magic, fraction;
		uint64_t ns;
	} kinds[] = {
		{0xa1b2c3d4, 123456, NS / 1000 * 1000},
		{0xa1b23c4d, 123456789, NS},
	};
	size_t i;

	for (i = 0; i < 4; i++) {
		auto_text struct text t = {0};

		pcap(&t, kinds[i % 2].magic, kinds[i % 2].fraction, i / 2);
		assert_one(&t, kinds[i % 2].ns);
	}
}

/* This project reads the files that it writes. */
static void write_file(struct text *t)
{
	pcapng_section(t, "verbatim");
	pcapng_interface(t, "vb-1-a", "host a: rxe");
	pcapng_interface(t, "vb-1-b", "host b: rxe");
	pcapng_packet(t, &(struct pcapng_packet){.interface = 1, .ns = NS, .way = PCAPNG_OUT, .data = "abcd", .kept = 4, .len = 60});
	pcapng_counts(t, 0, &(struct pcapng_counts){0});
	pcapng_packet(t, &(struct pcapng_packet){.interface = 0, .ns = NS + 1, .way = PCAPNG_IN, .data = "abcde", .kept = 5, .len = 5});
}

TEST(test_records__pcapng__interfaces_times_and_ways)
{
	auto_text struct text t = {0};
	struct records r;
	struct records_packet record;
	struct vbm_error err = {0};

	write_file(&t);
	assert_int_equal(records_begin(&r, t.s, t.len, &err), 0);
	assert_int_equal(records_next(&r, &record, &err), 1);
	assert_true(record.ns == NS && record.way == RECORD_OUT && record.interface == 1);
	assert_string_equal(r.interface[1].name, "vb-1-b");
	assert_string_equal(r.interface[0].description, "host a: rxe");
	assert_int_equal(records_next(&r, &record, &err), 1);
	assert_true(record.ns == NS + 1 && record.way == RECORD_IN && record.interface == 0 && record.kept == 5);
	assert_int_equal(records_next(&r, &record, &err), 0);
	records_end(&r);
}

/* Every cut of the file, and every byte of it broken: an answer, and no read beyond the end. */
TEST(test_records__cut_or_broken__an_error_with_the_place_or_packets)
{
	auto_text struct text t = {0};
	struct records r;
	struct records_packet record;
	struct vbm_error err;
	uint8_t *copy;
	size_t n, i;
	int rc;

	write_file(&t);
	for (n = 0; n < 2 * t.len; n++) {
		size_t len = n < t.len ? n : t.len;

		copy = malloc(len ? len : 1);
		assert_non_null(copy);
		memcpy(copy, t.s, len);
		if (n >= t.len)
			copy[n - t.len] ^= 0xff;
		err = (struct vbm_error){0};
		rc = records_begin(&r, copy, len, &err);
		for (i = 0; rc == 0 && i < 5; i++)
			if ((rc = records_next(&r, &record, &err)) > 0)
				rc = 0;
			else
				break;
		assert_true(i < 5 && (rc == 0 || *err.msg));
		records_end(&r);
		free(copy);
	}
}

static void assert_refused(const void *data, size_t len, const char *wanted)
{
	struct records r;
	struct records_packet record;
	struct vbm_error err = {0};
	int rc = records_begin(&r, data, len, &err);

	while (rc >= 0 && (rc = records_next(&r, &record, &err)) > 0)
		;
	records_end(&r);
	assert_true(rc < 0);
	assert_string_equal(err.msg, wanted);
}

TEST(test_records__no_capture__says_what_it_seems_to_be)
{
	assert_refused("", 0, "it is empty");
	assert_refused("hello", 5, "it is neither pcapng nor pcap");
	assert_refused("\x1f\x8b\x08", 3, "it is compressed: gunzip it first");
	assert_refused("(\xb5/\xfd", 4, "it is compressed: unzstd it first");
}

TEST(test_records__hostile_lengths__are_named)
{
	auto_text struct text t = {0};
	uint32_t n;

	pcap(&t, 0xa1b2c3d4, 0, false);
	assert_refused(t.s, 20, "it ends inside its header of 24 bytes");
	assert_refused(t.s, 30, "byte 24: the file ends inside the header of a packet");
	assert_refused(t.s, t.len - 1, "byte 24: a packet has 4 bytes there, and the file has 3 more");
	n = UINT32_MAX;
	memcpy(t.s + 32, &n, 4);
	assert_refused(t.s, t.len, "byte 24: a packet has 4294967295 bytes there, and the file has 4 more");
	text_clear(&t);
	pcapng_section(&t, "");
	n = 28;
	memcpy(t.s + 4, &n, 4);
	assert_refused(t.s, t.len, "byte 0: a block has two lengths, 28 and 4");
	n = 8;
	memcpy(t.s + 4, &n, 4);
	assert_refused(t.s, t.len, "byte 0: 8 bytes are no length for a block of type 168627466");
	n = UINT32_MAX;
	memcpy(t.s + 4, &n, 4);
	assert_refused(t.s, t.len, "byte 0: a block has 4294967295 bytes there, and the file has 36 more");
	memcpy(t.s + 8, "xxxx", 4);
	assert_refused(t.s, t.len, "byte 0: the section does not tell its byte order");
	text_clear(&t);
	pcapng_section(&t, "");
	pcapng_packet(&t, &(struct pcapng_packet){.data = "", .len = 0});
	assert_refused(t.s, t.len, "byte 36: a packet of interface 0, and the section has 0");
}
