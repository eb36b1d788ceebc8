/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: codec/build.c */
#include "cmocka_all.h"

#include <errno.h>
#include <infiniband/opcode.h>
#include <string.h>

#include "codec/build.h"

static const struct header *const over_ip4[] = {&header_ip4, &header_udp, &header_bth, NULL};

/* Applies one word to @b. */
static int set(struct build *b, const char *word, struct vbm_error *err)
{
	struct pattern settings = {0};
	int rc = build_setting_add(&settings, word, err);

	if (rc == 0)
		rc = build_settings_apply(b, &settings, err);
	pattern_fini(&settings);
	return rc;
}

/* A field of an acknowledgement makes the packet the kind of acknowledgement that has the field. */
TEST(test_setting__fields__are_in_the_packet)
{
	static const struct {
		const char *word, *field;
		uint64_t is;
	} row[] = {
		{"psn=0x123456", "psn", 0x123456},
		{"ack_req", "ack_req", 1},
		{"pad=3", "pad", 3},
		{"nak_code=REMOTE_ACCESS_ERROR", "syndrome", 0x62},
		{"rnr_timer=5", "syndrome", 0x25},
		{"credits=0", "syndrome", 0},
		{"syndrome=0x7f", "syndrome", 0x7f},
		{"msn=7", "msn", 7},
	};
	struct vbm_error err = {0};
	struct build b;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		build_begin(&b, over_ip4, IBV_OPCODE_RC_ACKNOWLEDGE, NULL);
		build_set(&b, "syndrome", 0x1f);
		if (set(&b, row[i].word, &err) < 0)
			fail_msg("%s: %s", row[i].word, err.msg);
		build_end(&b, PACKET_CRC);
		assert_int_equal(packet_get(&b.packet, row[i].field, 99), row[i].is);
	}
}

/* Addresses and bytes of a message. An IPv4 address is in the last four bytes of its field. */
TEST(test_setting__texts__are_bytes)
{
	static const struct header *const more[] = {&header_mad, &header_cm_req, &header_ip_cm, NULL};
	static const uint8_t mapped[] = {[10] = 0xff, [11] = 0xff, 10, 86, 0, 2}, last[] = {[12] = 10, 86, 0, 1};
	struct vbm_error err = {0};
	const struct layer *layer;
	struct build b;

	build_begin(&b, over_ip4, IBV_OPCODE_UD_SEND_ONLY, more);
	assert_int_equal(set(&b, "primary_local_gid=::ffff:10.86.0.2", &err), 0);
	assert_int_equal(set(&b, "cma_src=10.86.0.1", &err), 0);
	assert_int_equal(set(&b, "service_id=0x1061d2f", &err), 0);
	build_end(&b, PACKET_CRC);
	assert_non_null(build_field(&b, "primary_local_gid", &layer));
	assert_memory_equal(b.bytes + layer->at + 56, mapped, sizeof(mapped));
	assert_non_null(build_field(&b, "cma_src", &layer));
	assert_memory_equal(b.bytes + layer->at + 4, last, sizeof(last));
	build_begin(&b, over_ip4, OPCODE_CNP, NULL);
	assert_int_equal(set(&b, "cnp_reserved=0aFf", &err), 0);
	assert_int_equal(b.bytes[40], 0x0a);
	assert_int_equal(b.bytes[41], 0xff);
	assert_int_equal(set(&b, "cnp_reserved=0g", &err), -EINVAL);
	assert_int_equal(set(&b, "cnp_reserved=012", &err), -EINVAL);
	assert_int_equal(set(&b, "cnp_reserved=000102030405060708090a0b0c0d0e0f10", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "cnp_reserved, which has 16 bytes"));
}

TEST(test_setting__what_cannot_be_set__is_told)
{
	static const struct {
		const char *word, *says;
	} row[] = {
		{"SEND_ONLY", "'SEND_ONLY': expected FIELD=VALUE"},
		{"psn>5", "'psn>5': expected FIELD=VALUE"},
		{"len=5", "'len=5': expected FIELD=VALUE"},
		{"psm=5", "no packet has a field 'psm' (did you mean 'psn'?)"},
		{"ttl=3", "'ttl' cannot be set: the kernel makes the headers up to UDP"},
		{"rkey=3", "the packet has no field 'rkey'"},
		{"psn=0x1000000", "'0x1000000' is too large: psn has 24 bits"},
	};
	struct vbm_error err;
	struct build b;
	size_t i;

	build_begin(&b, over_ip4, IBV_OPCODE_RC_ACKNOWLEDGE, NULL);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		err = (struct vbm_error){0};
		if (set(&b, row[i].word, &err) != -EINVAL || !strstr(err.msg, row[i].says))
			fail_msg("%s: \"%s\"", row[i].word, err.msg);
	}
}
