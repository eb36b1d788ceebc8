/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: codec/pattern.c codec/pattern-possible.c */
#include "cmocka_all.h"

#include <errno.h>
#include <infiniband/opcode.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "codec/build.h"
#include "codec/pattern.h"
#include "names/consts.h"

static const struct header *const over_ip4[] = {&header_ip4, &header_udp, &header_bth, NULL};
static const struct header *const over_ip6[] = {&header_ip6, &header_udp, &header_bth, NULL};

static bool matches(const char *words, const struct packet *p)
{
	auto_free char *copy = xstrdup(words);
	struct pattern pattern = {0};
	struct vbm_error err = {0};
	char *word, *save = NULL;
	bool met;

	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (pattern_add(&pattern, word, &err) < 0)
			fail_msg("%s", err.msg);
	met = pattern_matches(&pattern, p);
	pattern_fini(&pattern);
	return met;
}

static const struct packet *nak(struct build *b)
{
	static const uint8_t from[] = {10, 86, 0, 2};

	build_begin(b, over_ip4, IBV_OPCODE_RC_ACKNOWLEDGE, NULL);
	build_set_bytes(b, "src", from);
	build_set(b, "qp", 0x11);
	build_set(b, "psn", 100);
	build_set(b, "syndrome", 0x62);
	build_end(b, PACKET_CRC);
	return &b->packet;
}

static const struct packet *send_with_imm(struct build *b)
{
	static const uint8_t from[16] = {0xfd, 0x86, [15] = 2};

	build_begin(b, over_ip6, IBV_OPCODE_UC_SEND_ONLY_WITH_IMMEDIATE, NULL);
	build_set_bytes(b, "src", from);
	build_set(b, "ack_req", 1);
	build_payload(b, "hello", 5);
	build_end(b, PACKET_CRC);
	b->bytes[b->packet.end - 1] ^= 1;
	return &b->packet;
}

static const struct packet *reject(struct build *b)
{
	static const struct header *const more[] = {&header_mad, &header_cm_rej, NULL};

	build_begin(b, over_ip4, IBV_OPCODE_UD_SEND_ONLY, more);
	build_set(b, "reason", 8);
	build_end(b, PACKET_CRC);
	return &b->packet;
}

TEST(test_pattern__words__what_they_match)
{
	static const struct {
		const char *words;
		bool nak, send, reject;
	} table[] = {
		{"", true, true, true},
		{"RC", true, false, false},
		{"UC", false, true, false},
		{"CNP", false, false, false},
		{"ACKNOWLEDGE", true, false, false},
		{"RC_ACKNOWLEDGE NAK", true, false, false},
		{"ACK", false, false, false},
		{"nak_code=REMOTE_ACCESS_ERROR", true, false, false},
		{"nak_code=2", true, false, false},
		{"nak_code!=2", false, false, false},
		{"credits=2", false, false, false},
		{"psn=100 qp=0x11", true, false, false},
		{"psn>99 psn<101 psn>=100 psn<=100", true, false, false},
		{"psn>100", false, false, false},
		{"psn!=100", false, true, true},
		{"src=10.86.0.2", true, false, false},
		{"src!=10.86.0.2", false, true, true},
		{"src=fd86:0::2", false, true, false},
		{"ipv4", true, false, true},
		{"ipv6 immdt", false, true, false},
		{"SEND_ONLY_WITH_IMMEDIATE", false, true, false},
		{"UC_SEND_ONLY_WITH_IMMEDIATE ack_req", false, true, false},
		{"RC_SEND_ONLY_WITH_IMMEDIATE", false, false, false},
		{"ack_req=0", true, false, true},
		{"len=5", false, true, false},
		{"len>0", false, true, false},
		{"icrc=wrong", false, true, false},
		{"icrc!=wrong", true, false, true},
		{"CM", false, false, true},
		{"REJ reason=INVALID_SERVICE_ID", false, false, true},
		{"REQ", false, false, false},
		{"SEND_ONLY", false, false, true},
	};
	struct build a, b, c;
	size_t i;

	nak(&a);
	send_with_imm(&b);
	reject(&c);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (matches(table[i].words, &a.packet) != table[i].nak ||
		    matches(table[i].words, &b.packet) != table[i].send ||
		    matches(table[i].words, &c.packet) != table[i].reject)
			fail_msg("'%s'", table[i].words);
	}
}

TEST(test_pattern__mistakes__are_named)
{
	static const struct {
		const char *word, *wanted;
	} table[] = {
		{"SEND_ONYL", "'SEND_ONYL' is no operation, message, header or flag of a packet (did you mean 'SEND_ONLY'?)"},
		{"psm=3", "no packet has a field 'psm' (did you mean 'psn'?)"},
		{"psn=", "'' is no value of psn: a number is one"},
		{"psn=1x", "'1x' is no value of psn: a number is one"},
		{"psn=-1", "'-1' is no value of psn: a number is one"},
		{"psn=0x1000000", "'0x1000000' is too large: psn has 24 bits"},
		{"psn!5", "'psn!5' has no '=' between a field and its value"},
		{"nak_code=REMOTE_ACESS_ERROR",
		 "'REMOTE_ACESS_ERROR' is no value of nak_code: a number or a name is one (did you mean 'REMOTE_ACCESS_ERROR'?)"},
		{"src=10.86.0", "'10.86.0' is no value to compare src with"},
		{"src>10.86.0.1", "'10.86.0.1' is no value to compare src with"},
		{"icrc=bad", "'bad' is no value of icrc: right, wrong, rxe or unknown"},
		{"icrc>right", "'right' is no value of icrc: right, wrong, rxe or unknown"},
		{"len=x", "'x' is no number of bytes"},
		{"len=99999999999999999999999", "'99999999999999999999999' is no number of bytes"},
	};
	struct pattern pattern = {0};
	struct vbm_error err;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		err = (struct vbm_error){0};
		assert_true(pattern_add(&pattern, table[i].word, &err) < 0);
		assert_string_equal(err.msg, table[i].wanted);
	}
	assert_int_equal(pattern.count, 0);
	pattern_fini(&pattern);
}

/* All words that are offered are understood. */
TEST(test_pattern__every_word__is_one)
{
	struct pattern pattern = {0};
	struct vbm_error err = {0};
	size_t i;

	for (i = 0; pattern_nth(i); i++)
		if (pattern_add(&pattern, pattern_nth(i), &err) < 0)
			fail_msg("%s", err.msg);
	pattern_fini(&pattern);
}

/* The mistake of all words together; "": there is none. */
static void says(const char *words, enum pattern_use use, const char *wanted)
{
	auto_free char *copy = xstrdup(words);
	struct pattern pattern = {0};
	struct vbm_error err = {0};
	char *word, *save = NULL;

	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		assert_int_equal(pattern_add(&pattern, word, &err), 0);
	assert_int_equal(pattern_check(&pattern, use, &err), *wanted ? -EINVAL : 0);
	assert_string_equal(err.msg, wanted);
	pattern_fini(&pattern);
}

TEST(test_pattern__words_that_no_packet_meets__are_a_mistake)
{
	static const struct {
		const char *words, *mistake;
	} row[] = {
		{"", ""},
		{"SEND_ONLY psn=5", ""},
		{"SEND_ONLY rkey=5", "no packet that matches the other words has a field 'rkey'"},
		{"RDMA_WRITE_FIRST rkey=5", ""},
		{"rkey=5", ""},
		{"SEND_ONLY NAK", "no packet that matches the other words is a 'NAK'"},
		{"RDMA_READ_RESPONSE_ONLY NAK", ""},
		{"UD SEND_FIRST", "no packet that matches the other words is a 'SEND_FIRST'"},
		{"SEND_ONLY SEND_LAST", "no packet that matches the other words is a 'SEND_LAST'"},
		{"RC REQ", "no packet that matches the other words is a 'CM'"},
		{"REQ local_comm_id=5", ""},
		{"local_comm_id=5", ""},
		{"CM local_comm_id=5", ""},
		{"REQ rkey=5", "no packet that matches the other words has a field 'rkey'"},
		{"RC local_comm_id=5", "no packet that matches the other words has a field 'local_comm_id'"},
		{"psn=5 psn=6", "no value of 'psn' matches all of these words"},
		{"psn=5 psn=5", ""},
		{"psn>4 psn<6 psn!=5", "no value of 'psn' matches all of these words"},
		{"psn>4 psn<7 psn!=5", ""},
		{"psn>3 psn<7 psn!=4 psn!=5", ""},
		{"psn>0xffffff", "no value of 'psn' matches all of these words"},
		{"psn<0", "no value of 'psn' matches all of these words"},
		{"psn>=0xffffff", ""},
		{"vlan icrc=wrong len=5", ""},
		{"ipv6 ttl=1", ""},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		says(row[i].words, PATTERN_WATCH, row[i].mistake);
}

TEST(test_pattern__rules_see_less)
{
	static const struct {
		const char *words, *mistake;
	} row[] = {
		{"RC", ""},
		{"RDMA_WRITE_FIRST rkey=5", ""},
		{"rkey=5", "a rule cannot see 'rkey' in the packets that it means: name their operation, with its transport "
			   "unless that is RC"},
		{"UD SEND_ONLY qkey=5", ""},
		{"SEND_ONLY qkey=5", "a rule cannot see 'qkey' in the packets that it means: name their operation, with its "
				     "transport unless that is RC"},
		{"RC len=5", "a rule cannot look at len"},
		{"RC icrc=wrong", "a rule cannot look at icrc"},
		{"RC vlan", "a rule cannot look at vlan"},
		{"RC src=10.0.0.1", "a rule cannot compare 'src'"},
		{"psn=5 psn=6", "no value of 'psn' matches all of these words"},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		says(row[i].words, PATTERN_RULE, row[i].mistake);
}
