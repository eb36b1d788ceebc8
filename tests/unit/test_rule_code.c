/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: wire/rule-code.c wire/rule-action.c wire/rules.c codec/packet.c */
#include "cmocka_all.h"

#include <errno.h>
#include <infiniband/opcode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "codec/build.h"
#include "codec/line.h"
#include "codec/packet.h"
#include "wire/rule-action.h"
#include "wire/rule-code.h"

#define COUNTS_FD 77
#define RECORDS_FD 78
#define CRCS_FD 79
#define STEPS_MAX 10000

static const struct header *const over_ip4[] = {&header_ether, &header_ip4, &header_udp, &header_bth, NULL};
static const struct header *const over_ip6[] = {&header_ether, &header_ip6, &header_udp, &header_bth, NULL};

/* The kernel's side in small: runs the program for one packet. Only what the programs use. */
struct machine {
	uint64_t reg[11];
	uint8_t stack[8];
	struct rule_counts counts[RULES_MAX];
	uint8_t *packet;
	size_t len;
	uint8_t record[sizeof(struct rule_record) + RULE_RECORD_ALL];
	size_t room;			/* that a program has reserved in @record */
	int records;			/* that were submitted */
	uint32_t crcs[2][RULE_CRC_ENTRIES];	/* of rule 0 */
};

static const struct rule_maps maps = {.counts = COUNTS_FD, .records = RECORDS_FD, .crcs = CRCS_FD};

static uint8_t *at(struct machine *m, uint64_t address, size_t size)
{
	uint8_t *p = (uint8_t *)(uintptr_t)address;
	bool packet = p >= m->packet && p + size <= m->packet + m->len;
	bool counts = p >= (uint8_t *)m->counts && p + size <= (uint8_t *)(m->counts + RULES_MAX);
	bool stack = p >= m->stack && p + size <= m->stack + sizeof(m->stack);

	bool record = p >= m->record && p + size <= m->record + m->room;
	bool crcs = p >= (uint8_t *)m->crcs && p + size <= (uint8_t *)(m->crcs + 2);

	assert_true(packet || counts || stack || record || crcs);
	return p;
}

static void alu(struct machine *m, const struct bpf_insn *i)
{
	uint64_t *dst = &m->reg[i->dst_reg], src = BPF_SRC(i->code) == BPF_X ? m->reg[i->src_reg] : (uint64_t)(int64_t)i->imm;

	switch (BPF_OP(i->code)) {
	case BPF_MOV: *dst = src; break;
	case BPF_ADD: *dst += src; break;
	case BPF_SUB: *dst -= src; break;
	case BPF_MUL: *dst *= src; break;
	case BPF_OR: *dst |= src; break;
	case BPF_AND: *dst &= src; break;
	case BPF_XOR: *dst ^= src; break;
	case BPF_LSH: *dst <<= src; break;
	case BPF_RSH: *dst >>= src; break;
	default: fail_msg("operation 0x%x", i->code);
	}
}

static bool jumps(struct machine *m, const struct bpf_insn *i)
{
	uint64_t dst = m->reg[i->dst_reg], src = BPF_SRC(i->code) == BPF_X ? m->reg[i->src_reg] : (uint64_t)(int64_t)i->imm;

	switch (BPF_OP(i->code)) {
	case BPF_JEQ: return dst == src;
	case BPF_JNE: return dst != src;
	case BPF_JLT: return dst < src;
	case BPF_JGT: return dst > src;
	case BPF_JLE: return dst <= src;
	case BPF_JGE: return dst >= src;
	default: fail_msg("jump 0x%x", i->code);
	}
	return false;
}

static void memory(struct machine *m, const struct bpf_insn *i)
{
	static const size_t sizes[] = {[BPF_W >> 3] = 4, [BPF_H >> 3] = 2, [BPF_B >> 3] = 1, [BPF_DW >> 3] = 8};
	size_t size = sizes[BPF_SIZE(i->code) >> 3];
	uint64_t value = 0;

	if (BPF_CLASS(i->code) == BPF_LDX && m->reg[i->src_reg] == 1) {	/* the context */
		m->reg[i->dst_reg] = (uint64_t)(uintptr_t)(i->off ? m->packet + m->len : m->packet);
		return;
	}
	if (BPF_CLASS(i->code) == BPF_LDX) {
		memcpy(&value, at(m, m->reg[i->src_reg] + (uint64_t)(int64_t)i->off, size), size);
		m->reg[i->dst_reg] = value;
		return;
	}
	value = BPF_CLASS(i->code) == BPF_ST ? (uint64_t)(int64_t)i->imm : m->reg[i->src_reg];
	memcpy(at(m, m->reg[i->dst_reg] + (uint64_t)(int64_t)i->off, size), &value, size);
}

static void lookup(struct machine *m)
{
	uint32_t key;

	memcpy(&key, at(m, m->reg[2], 4), 4);
	if (m->reg[1] == CRCS_FD) {
		assert_true(key < 2);
		m->reg[0] = (uint64_t)(uintptr_t)m->crcs[key];
		return;
	}
	assert_int_equal(m->reg[1], COUNTS_FD);
	assert_true(key < RULES_MAX);
	m->reg[0] = (uint64_t)(uintptr_t)&m->counts[key];
}

static void reserve(struct machine *m)
{
	assert_int_equal(m->reg[1], RECORDS_FD);
	assert_true(m->reg[2] <= sizeof(m->record));
	m->room = m->reg[2];
	m->reg[0] = (uint64_t)(uintptr_t)m->record;
}

static void load_bytes(struct machine *m)
{
	assert_int_equal(m->reg[1], 1);
	assert_true(m->reg[4] > 0 && m->reg[2] + m->reg[4] <= m->len);
	memcpy(at(m, m->reg[3], m->reg[4]), m->packet + m->reg[2], m->reg[4]);
}

static void call_helper(struct machine *m, int32_t number)
{
	if (number == BPF_FUNC_map_lookup_elem)
		lookup(m);
	else if (number == BPF_FUNC_ringbuf_reserve)
		reserve(m);
	else if (number == BPF_FUNC_xdp_load_bytes)
		load_bytes(m);
	else if (number == BPF_FUNC_ringbuf_submit)
		m->records++;
	else if (number == BPF_FUNC_xdp_adjust_tail)
		m->len += m->reg[2];
	else
		fail_msg("helper %d", number);
}

static uint64_t execute(const struct rule_code *code, struct machine *m)
{
	const struct bpf_insn *i = code->insn;
	int steps;

	m->reg[1] = 1;
	m->reg[10] = (uint64_t)(uintptr_t)(m->stack + sizeof(m->stack));
	for (steps = 0; steps < STEPS_MAX; steps++, i++) {
		assert_true(i >= code->insn && i < code->insn + code->count);
		switch (BPF_CLASS(i->code)) {
		case BPF_ALU64:
			alu(m, i);
			break;
		case BPF_LD:
			m->reg[i->dst_reg] = (uint32_t)i[0].imm | (uint64_t)(uint32_t)i[1].imm << 32;
			i++;
			break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_EXIT)
				return m->reg[0];
			if (BPF_OP(i->code) == BPF_CALL)
				call_helper(m, i->imm);
			else if (jumps(m, i))
				i += i->off;
			break;
		default:
			memory(m, i);
		}
	}
	fail_msg("the program does not end");
	return 0;
}

static void words(struct packet_rule *rule, const char *text)
{
	auto_free char *copy = xstrdup(text);
	struct vbm_error err = {0};
	char *word, *save = NULL;

	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (pattern_add(&rule->pattern, word, &err) < 0)
			fail_msg("%s", err.msg);
}

static void make(struct build *b, const struct header *const *below, uint8_t opcode, size_t payload)
{
	static const uint8_t data[64];

	build_begin(b, below, opcode, NULL);
	build_set(b, "qp", 0x11);
	build_set(b, "psn", 100);
	build_set(b, "syndrome", 0x62);
	build_set(b, "rkey", 0x1234);
	build_set(b, "remote_addr", 0xfedcba9876543210);
	build_payload(b, data, payload);
	build_end(b, PACKET_CRC);
}

static uint64_t verdict(struct packet_rule *rule, struct build *b, struct machine *m)
{
	static struct rule_code code;
	struct vbm_error err = {0};

	if (rule_code(&code, rule, 1, &maps, &err) < 0)
		fail_msg("%s", err.msg);
	if (rule->right_icrc) {
		rule_crcs(rule, false, m->crcs[0], &err);
		rule_crcs(rule, true, m->crcs[1], &err);
	}
	m->packet = b->bytes;
	m->len = b->packet.len;
	return execute(&code, m);
}

/* The program decides like pattern_matches(), for both families. */
TEST(test_rule_code__words__decide_like_a_pattern)
{
	static const char *const table[] = {
		"", "RC", "UC", "UD", "SEND_ONLY", "UC SEND_ONLY", "RC_SEND_ONLY", "psn=100", "psn=101", "psn!=100", "psn>99",
		"psn>100", "psn<101", "psn<=100", "psn>=101", "qp=0x11 psn=100", "qp=0x12", "ack_req", "ack_req=0", "pad=3",
		"pkey=0xffff", "NAK", "ACK", "nak_code=2 NAK", "NAK nak_code=3", "RDMA_WRITE_ONLY rkey=0x1234",
		"RDMA_WRITE_ONLY remote_addr=0xfedcba9876543210", "RDMA_WRITE_ONLY remote_addr>0xfedcba9876543210", "ttl=64", "ecn=1",
	};
	static const uint8_t opcodes[] = {
		IBV_OPCODE_RC_SEND_ONLY, IBV_OPCODE_UC_SEND_ONLY, IBV_OPCODE_UD_SEND_ONLY, IBV_OPCODE_RC_ACKNOWLEDGE,
		IBV_OPCODE_RC_RDMA_WRITE_ONLY,
	};
	size_t i, k, family;
	struct build b;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		for (k = 0; k < ARRAY_SIZE(opcodes); k++) {
			for (family = 0; family < 2; family++) {
				struct packet_rule rule = {.action = RULE_DROP, .first = 1};
				struct machine m = {{0}};
				bool want, got;

				words(&rule, table[i]);
				make(&b, family ? over_ip6 : over_ip4, opcodes[k], opcodes[k] == IBV_OPCODE_RC_ACKNOWLEDGE ? 0 : 33);
				want = pattern_matches(&rule.pattern, &b.packet);
				/* An operation without a transport is that of RC. */
				if (!strcmp(table[i], "SEND_ONLY"))
					want = opcodes[k] == IBV_OPCODE_RC_SEND_ONLY;
				got = verdict(&rule, &b, &m) == XDP_DROP;
				if (got != want)
					fail_msg("'%s' and opcode 0x%x, family %zu", table[i], opcodes[k], family);
				assert_int_equal(m.counts[0].matched, want);
				assert_int_equal(m.counts[0].acted, want);
				pattern_fini(&rule.pattern);
			}
		}
	}
}

TEST(test_rule_code__first_and_count__choose_matches)
{
	struct packet_rule rule = {.action = RULE_DROP, .first = 2, .count = 2};
	struct machine m = {{0}};
	struct build b;
	int i;

	words(&rule, "SEND_ONLY");
	for (i = 1; i <= 5; i++) {
		make(&b, over_ip4, IBV_OPCODE_RC_SEND_ONLY, 4);
		assert_int_equal(verdict(&rule, &b, &m) == XDP_DROP, i == 2 || i == 3);
	}
	assert_int_equal(m.counts[0].matched, 5);
	assert_int_equal(m.counts[0].acted, 2);
	rule.count = 0;
	assert_int_equal(verdict(&rule, &b, &m), XDP_DROP);
	rule.action = RULE_OFF;
	assert_int_equal(verdict(&rule, &b, &m), XDP_PASS);
	pattern_fini(&rule.pattern);
}

TEST(test_rule_code__corrupt__flips_one_bit)
{
	struct packet_rule rule = {.action = RULE_CORRUPT, .first = 1, .count = 1, .field = "psn"};
	struct machine m = {{0}};
	struct build b;

	words(&rule, "SEND_ONLY");
	make(&b, over_ip6, IBV_OPCODE_RC_SEND_ONLY, 4);
	assert_int_equal(verdict(&rule, &b, &m), XDP_PASS);
	assert_int_equal(packet_get(&b.packet, "psn", 0), 101);
	assert_string_equal(line_icrc(&b.packet), "wrong");
	pattern_fini(&rule.pattern);
}

/* Every length: no byte behind the packet is read, and what is cut is let through. */
TEST(test_rule_code__short_packets__pass)
{
	struct packet_rule rule = {.action = RULE_DROP, .first = 1};
	static struct rule_code code;
	struct vbm_error err = {0};
	struct build b;
	size_t len;

	words(&rule, "RDMA_WRITE_ONLY rkey=0x1234");
	assert_int_equal(rule_code(&code, &rule, 1, &maps, &err), 0);
	make(&b, over_ip4, IBV_OPCODE_RC_RDMA_WRITE_ONLY, 0);
	for (len = 0; len <= b.packet.len; len++) {
		struct machine m = {.packet = b.bytes, .len = len};

		assert_int_equal(execute(&code, &m), len == b.packet.len ? XDP_DROP : XDP_PASS);
	}
	pattern_fini(&rule.pattern);
}

TEST(test_rule_code__what_no_program_sees__is_refused)
{
	static const struct {
		const char *words, *wanted;
	} table[] = {
		{"len=5", "a rule cannot look at len"},
		{"icrc=wrong", "a rule cannot look at icrc"},
		{"vlan", "a rule cannot look at vlan"},
		{"src=10.0.0.1", "a rule cannot compare 'src'"},
		{"rkey=1", "a rule cannot see 'rkey' in the packets that it means: name their operation, with its transport unless that is RC"},
	};
	static struct rule_code code;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct packet_rule rule = {.action = RULE_DROP, .first = 1};
		struct vbm_error err = {0};

		words(&rule, table[i].words);
		assert_int_equal(rule_code(&code, &rule, 1, &maps, &err), -EINVAL);
		assert_string_equal(err.msg, table[i].wanted);
		pattern_fini(&rule.pattern);
	}
}

static const struct rule_record *record_of(const struct machine *m)
{
	return (const void *)m->record;
}

/* The one's complement sum of a right IPv4 header is 0xffff. */
static uint32_t header_sum(const uint8_t *ip)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

TEST(test_rule_code__mark__sets_the_congestion_marks)
{
	struct packet_rule rule = {.action = RULE_MARK, .first = 1, .value = 3};
	struct build b;
	size_t family;

	words(&rule, "SEND_ONLY");
	for (family = 0; family < 2; family++) {
		struct machine m = {{0}};

		make(&b, family ? over_ip6 : over_ip4, IBV_OPCODE_RC_SEND_ONLY, 33);
		assert_int_equal(packet_get(&b.packet, "ecn", 9), 0);
		assert_int_equal(verdict(&rule, &b, &m), XDP_PASS);
		assert_int_equal(packet_get(&b.packet, "ecn", 9), 3);
		assert_string_equal(line_icrc(&b.packet), "right");
		if (!family)
			assert_int_equal(header_sum(b.bytes + 14), 0xffff);
		/* The process gets the packet as it was. */
		assert_int_equal(m.records, 1);
		assert_int_not_equal(record_of(&m)->bytes[15], b.bytes[15]);
	}
	pattern_fini(&rule.pattern);
}

TEST(test_rule_code__truncate__says_so_in_the_lengths)
{
	struct packet_rule rule = {.action = RULE_TRUNCATE, .first = 1};
	struct packet p;
	struct build b;
	size_t family, left;

	words(&rule, "SEND_ONLY");
	for (family = 0; family < 2; family++) {
		for (left = 0; left <= 12 + 36 + 8; left++) {
			size_t below = family ? 14 + 40 + 8 : 14 + 20 + 8;
			struct machine m = {{0}};

			rule.value = left;
			make(&b, family ? over_ip6 : over_ip4, IBV_OPCODE_RC_SEND_ONLY, 33);
			assert_int_equal(verdict(&rule, &b, &m), XDP_PASS);
			if (left >= 12 + 36 + 4) {
				assert_int_equal(m.counts[0].matched, 0);
				assert_int_equal(m.len, b.packet.len);
				continue;
			}
			assert_int_equal(m.len, below + left);
			packet_read(&p, PACKET_ETHERNET, b.bytes, m.len);
			assert_int_equal(p.end, below + left);
			assert_int_equal(packet_get(&p, "udp_length", 0), 8 + left);
			if (!family)
				assert_int_equal(header_sum(b.bytes + 14), 0xffff);
		}
	}
	pattern_fini(&rule.pattern);
}

TEST(test_rule_code__hold__gives_the_whole_packet)
{
	struct packet_rule rule = {.action = RULE_HOLD, .first = 1};
	struct machine m = {{0}};
	struct build b;

	words(&rule, "SEND_ONLY");
	make(&b, over_ip6, IBV_OPCODE_RC_SEND_ONLY, 60);
	assert_int_equal(verdict(&rule, &b, &m), XDP_DROP);
	assert_int_equal(m.records, 1);
	assert_int_equal(record_of(&m)->len, b.packet.len);
	assert_memory_equal(record_of(&m)->bytes, b.bytes, b.packet.len);
	/* A rule that only drops gives the first bytes, by which the packet is found. */
	rule.action = RULE_DROP;
	memset(m.record, 0, sizeof(m.record));
	assert_int_equal(verdict(&rule, &b, &m), XDP_DROP);
	assert_int_equal(record_of(&m)->len, b.packet.len);
	assert_true(b.packet.len > RULE_RECORD_BYTES);
	assert_int_equal(packet_mark(record_of(&m)->bytes, b.packet.len), packet_mark(b.bytes, b.packet.len));
	assert_int_equal(record_of(&m)->bytes[RULE_RECORD_BYTES], 0);
	rule.action = RULE_DUPLICATE;
	assert_int_equal(verdict(&rule, &b, &m), XDP_PASS);
	/* One that delays gives all of it, too. */
	rule.action = RULE_DELAY;
	memset(m.record, 0, sizeof(m.record));
	assert_int_equal(verdict(&rule, &b, &m), XDP_DROP);
	assert_memory_equal(record_of(&m)->bytes, b.bytes, b.packet.len);
	pattern_fini(&rule.pattern);
}

/* It is not counted again, and arrives with the address that its sender has. */
TEST(test_rule_code__put_back__passes_all_rules)
{
	struct packet_rule rule = {.action = RULE_DROP, .first = 1};
	struct machine m = {{0}};
	struct build b;

	make(&b, over_ip4, IBV_OPCODE_RC_SEND_ONLY, 4);
	b.bytes[RULE_AGAIN_AT] |= RULE_AGAIN_BIT;
	assert_int_equal(verdict(&rule, &b, &m), XDP_PASS);
	assert_int_equal(b.bytes[RULE_AGAIN_AT] & RULE_AGAIN_BIT, 0);
	assert_int_equal(m.counts[0].matched, 0);
	assert_int_equal(verdict(&rule, &b, &m), XDP_DROP);
}

TEST(test_rule_code__corrupt__may_leave_a_right_crc)
{
	static const char *const field[] = {"", "psn", "opcode", "pkey", "ack_req", "fecn", "ttl", "dscp"};
	struct build b, before;
	size_t i, family, len;

	for (i = 0; i < ARRAY_SIZE(field); i++) {
		struct packet_rule rule = {.action = RULE_CORRUPT, .first = 1, .right_icrc = true};

		snprintf(rule.field, sizeof(rule.field), "%s", field[i]);
		words(&rule, "SEND_ONLY");
		for (family = 0; family < 2; family++) {
			for (len = 1; len <= 64; len++) {
				struct machine m = {{0}};

				make(&b, family ? over_ip6 : over_ip4, IBV_OPCODE_RC_SEND_ONLY, len);
				before = b;
				assert_int_equal(verdict(&rule, &b, &m), XDP_PASS);
				assert_memory_not_equal(before.bytes, b.bytes, b.packet.len);
				if (strcmp(line_icrc(&b.packet), "right"))
					fail_msg("'%s' with %zu bytes, family %zu: %s", field[i], len, family,
						 line_icrc(&b.packet));
			}
		}
		pattern_fini(&rule.pattern);
	}
}

TEST(test_rule_code__chance__is_that_of_the_seed)
{
	struct packet_rule rule = {.action = RULE_DROP, .first = 3, .chance = RULE_CHANCE_ONE / 5};
	struct machine m = {{0}};
	uint64_t random = 7;
	struct build b;
	int i, n = 0;

	words(&rule, "SEND_ONLY");
	make(&b, over_ip4, IBV_OPCODE_RC_SEND_ONLY, 4);
	m.counts[0].random = random;
	for (i = 1; i <= 1000; i++) {
		bool wanted = false;

		if (i >= 3) {
			random = RULE_RANDOM(random);
			wanted = RULE_CHANCE(random) < rule.chance;
		}
		n += wanted;
		assert_int_equal(verdict(&rule, &b, &m) == XDP_DROP, wanted);
	}
	assert_in_range(n, 150, 250);
	assert_int_equal(m.counts[0].acted, n);
	assert_int_equal(m.counts[0].matched, 1000);
	pattern_fini(&rule.pattern);
}
