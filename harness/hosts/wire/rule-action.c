/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/rule-action.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/deflate.h"
#include "codec/build.h"
#include "lib/base/fail.h"

/* R_RESULT = the value at @key of an array; to the next block if there is none. */
static void put_lookup(struct rule_writing *w, int map, size_t key)
{
	rule_put(w, BPF_ST | BPF_MEM | BPF_W, R_STACK, 0, RULE_KEY_AT, (int32_t)key);
	rule_put_alu_reg(w, BPF_MOV, R_B, R_STACK);
	rule_put_alu(w, BPF_ADD, R_B, RULE_KEY_AT);
	rule_put_constant(w, R_A, BPF_PSEUDO_MAP_FD, (uint64_t)map);
	rule_put(w, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	rule_put(w, BPF_JMP | BPF_JEQ | BPF_K, R_RESULT, 0, RULE_TO_NEXT, 0);
}

/* R_A = the next random number, which is kept. */
static void put_random(struct rule_writing *w)
{
	const int16_t at = offsetof(struct rule_counts, random);

	rule_put(w, BPF_LDX | BPF_MEM | BPF_DW, R_A, R_RESULT, at, 0);
	rule_put_constant(w, R_B, 0, RULE_RANDOM(1) - RULE_RANDOM(0));
	rule_put_alu_reg(w, BPF_MUL, R_A, R_B);
	rule_put_constant(w, R_B, 0, RULE_RANDOM(0));
	rule_put_alu_reg(w, BPF_ADD, R_A, R_B);
	rule_put(w, BPF_STX | BPF_MEM | BPF_DW, R_RESULT, R_A, at, 0);
	rule_put_alu(w, BPF_RSH, R_A, 33);
}

/* Count the match, and go on only if the rule acts on it. */
static void put_counts(struct rule_writing *w, const struct packet_rule *rule, size_t number, const struct rule_maps *maps)
{
	put_lookup(w, maps->counts, number);
	rule_put(w, BPF_LDX | BPF_MEM | BPF_DW, R_A, R_RESULT, offsetof(struct rule_counts, matched), 0);
	rule_put_alu(w, BPF_ADD, R_A, 1);
	rule_put(w, BPF_STX | BPF_MEM | BPF_DW, R_RESULT, R_A, offsetof(struct rule_counts, matched), 0);
	rule_put_constant(w, R_WANTED, 0, rule->first);
	rule_put(w, BPF_JMP | BPF_X | BPF_JLT, R_A, R_WANTED, RULE_TO_NEXT, 0);
	if (rule->count) {
		rule_put_constant(w, R_WANTED, 0, rule->first + rule->count);
		rule_put(w, BPF_JMP | BPF_X | BPF_JGE, R_A, R_WANTED, RULE_TO_NEXT, 0);
	}
	if (rule->chance) {
		put_random(w);
		rule_put_constant(w, R_WANTED, 0, rule->chance);
		rule_put(w, BPF_JMP | BPF_X | BPF_JGE, R_A, R_WANTED, RULE_TO_NEXT, 0);
	}
	rule_put(w, BPF_LDX | BPF_MEM | BPF_DW, R_A, R_RESULT, offsetof(struct rule_counts, acted), 0);
	rule_put_alu(w, BPF_ADD, R_A, 1);
	rule_put(w, BPF_STX | BPF_MEM | BPF_DW, R_RESULT, R_A, offsetof(struct rule_counts, acted), 0);
}

/* Give the process the packet as it is. If the ring is full, the packet is not told: its rule has counted it. */
static void put_record(struct rule_writing *w, size_t number, size_t bytes, int ring)
{
	size_t full, fits, some;

	rule_put_constant(w, R_A, BPF_PSEUDO_MAP_FD, (uint64_t)ring);
	rule_put_alu(w, BPF_MOV, R_B, (int32_t)(sizeof(struct rule_record) + bytes));
	rule_put_alu(w, BPF_MOV, R_C, 0);
	rule_put(w, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ringbuf_reserve);
	full = rule_put_jump(w, BPF_JEQ, R_RESULT, 0);
	rule_put_alu_reg(w, BPF_MOV, R_WANTED, R_RESULT);
	rule_put_length(w, R_D);
	rule_put(w, BPF_ST | BPF_MEM | BPF_W, R_WANTED, 0, offsetof(struct rule_record, rule), (int32_t)number);
	rule_put(w, BPF_STX | BPF_MEM | BPF_W, R_WANTED, R_D, offsetof(struct rule_record, len), 0);
	fits = rule_put_jump(w, BPF_JLE, R_D, (int32_t)bytes);
	rule_put_alu(w, BPF_MOV, R_D, (int32_t)bytes);
	rule_land(w, fits);
	/* The kernel's check of programs wants to see that the length is not 0. */
	some = rule_put_jump(w, BPF_JGE, R_D, 1);
	rule_put_alu(w, BPF_MOV, R_D, 1);
	rule_land(w, some);
	rule_put_alu_reg(w, BPF_MOV, R_A, R_CONTEXT);
	rule_put_alu(w, BPF_MOV, R_B, 0);
	rule_put_alu_reg(w, BPF_MOV, R_C, R_WANTED);
	rule_put_alu(w, BPF_ADD, R_C, offsetof(struct rule_record, bytes));
	rule_put(w, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_xdp_load_bytes);
	rule_put_alu_reg(w, BPF_MOV, R_A, R_WANTED);
	rule_put_alu(w, BPF_MOV, R_B, 0);
	rule_put(w, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ringbuf_submit);
	rule_land(w, full);
}

static void put_byte(struct rule_writing *w, size_t at, uint8_t from)
{
	rule_put(w, BPF_STX | BPF_MEM | BPF_B, R_DATA, from, (int16_t)at, 0);
}

/* The two bytes at @at become R_D. */
static void put_16(struct rule_writing *w, size_t at)
{
	put_byte(w, at + 1, R_D);
	rule_put_alu(w, BPF_RSH, R_D, 8);
	put_byte(w, at, R_D);
}

/*
 * The word of IPv4 at @at becomes R_D, with a new checksum by RFC 1624: the one's complement
 * sum of the old checksum's complement, the old word's complement and the new word.
 */
static void put_ip4_word(struct rule_writing *w, size_t ip, size_t at)
{
	const size_t sum = ip + 10;
	int i;

	rule_put_load(w, at * 8, 16);
	rule_put_alu(w, BPF_XOR, R_A, 0xffff);
	rule_put_alu_reg(w, BPF_MOV, R_E, R_A);
	rule_put_alu_reg(w, BPF_ADD, R_E, R_D);
	put_16(w, at);
	rule_put_load(w, sum * 8, 16);
	rule_put_alu(w, BPF_XOR, R_A, 0xffff);
	rule_put_alu_reg(w, BPF_ADD, R_E, R_A);
	for (i = 0; i < 2; i++) {
		rule_put_alu_reg(w, BPF_MOV, R_D, R_E);
		rule_put_alu(w, BPF_RSH, R_D, 16);
		rule_put_alu(w, BPF_AND, R_E, 0xffff);
		rule_put_alu_reg(w, BPF_ADD, R_E, R_D);
	}
	rule_put_alu_reg(w, BPF_MOV, R_D, R_E);
	rule_put_alu(w, BPF_XOR, R_D, 0xffff);
	put_16(w, sum);
}

static size_t ip_at(const struct build *b, bool *ip6)
{
	const struct layer *ip = packet_layer(&b->packet, &header_ip4);

	*ip6 = !ip;
	return ip ? ip->at : packet_layer(&b->packet, &header_ip6)->at;
}

static void put_mark(struct rule_writing *w, const struct build *b, uint64_t mark)
{
	bool ip6;
	size_t ip = ip_at(b, &ip6);

	if (ip6) {
		rule_put_load(w, (ip + 1) * 8, 8);
		rule_put_alu(w, BPF_AND, R_A, ~0x30);
		rule_put_alu(w, BPF_OR, R_A, (int32_t)(mark << 4));
		put_byte(w, ip + 1, R_A);
		return;
	}
	rule_put_load(w, ip * 8, 16);
	rule_put_alu_reg(w, BPF_MOV, R_D, R_A);
	rule_put_alu(w, BPF_AND, R_D, ~3);
	rule_put_alu(w, BPF_OR, R_D, (int32_t)mark);
	put_ip4_word(w, ip, ip);
}

/* A packet that is that short already is none for the rule. */
static void put_is_longer(struct rule_writing *w, const struct build *b, uint64_t left)
{
	size_t len = packet_layer(&b->packet, &header_bth)->at + left;

	rule_put_length(w, R_A);
	rule_put(w, BPF_JMP | BPF_K | BPF_JLE, R_A, 0, RULE_TO_NEXT, (int32_t)len);
}

/* The checksum of UDP becomes 0: none. rxe sends none either. */
static void put_truncate(struct rule_writing *w, const struct build *b, uint64_t left)
{
	size_t udp = packet_layer(&b->packet, &header_udp)->at, bth = packet_layer(&b->packet, &header_bth)->at, ip;
	bool ip6;

	ip = ip_at(b, &ip6);
	rule_put_alu(w, BPF_MOV, R_D, (int32_t)(bth + left - (ip6 ? udp : ip)));
	if (ip6)
		put_16(w, ip + 4);
	else
		put_ip4_word(w, ip, ip + 2);
	rule_put_alu(w, BPF_MOV, R_D, (int32_t)(bth + left - udp));
	put_16(w, udp + 4);
	rule_put_alu(w, BPF_MOV, R_D, 0);
	put_16(w, udp + 6);
	rule_put_length(w, R_A);
	rule_put_alu(w, BPF_MOV, R_B, (int32_t)(bth + left));
	rule_put_alu_reg(w, BPF_SUB, R_B, R_A);
	rule_put_alu_reg(w, BPF_MOV, R_A, R_CONTEXT);
	rule_put(w, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_xdp_adjust_tail);
}

/* The bit that a rule flips, from the beginning of the packet. */
static int bit_of(const struct build *b, const struct packet_rule *rule, size_t *bit, struct vbm_error *err)
{
	size_t at = (b->packet.len + 1) * 8 - 1, width = 1;

	if (*rule->field && rule_find(b, rule->field, &at, &width, err) < 0)
		return -err->code;
	*bit = at + width - 1;
	return 0;
}

/* The rule changes the CRC, which ends the packet, by XOR with a number that the map has for packets of this length. */
static void put_right_icrc(struct rule_writing *w, size_t number, bool ip6, int crcs)
{
	put_lookup(w, crcs, 2 * number + ip6);
	rule_put_length(w, R_A);
	rule_put(w, BPF_JMP | BPF_K | BPF_JGE, R_A, 0, RULE_TO_NEXT, RULE_CRC_ENTRIES);
	rule_put_alu_reg(w, BPF_MOV, R_C, R_A);
	rule_put_alu(w, BPF_LSH, R_A, 2);
	rule_put_alu_reg(w, BPF_ADD, R_RESULT, R_A);
	rule_put(w, BPF_LDX | BPF_MEM | BPF_W, R_B, R_RESULT, 0, 0);
	rule_put(w, BPF_JMP | BPF_K | BPF_JLT, R_C, 0, RULE_TO_NEXT, PACKET_ICRC_BYTES);
	rule_put_alu(w, BPF_SUB, R_C, PACKET_ICRC_BYTES);
	rule_put_alu_reg(w, BPF_ADD, R_C, R_DATA);
	rule_put_alu_reg(w, BPF_MOV, R_D, R_C);
	rule_put_alu(w, BPF_ADD, R_D, PACKET_ICRC_BYTES);
	rule_put(w, BPF_JMP | BPF_X | BPF_JGT, R_D, R_END, RULE_TO_NEXT, 0);
	rule_put(w, BPF_LDX | BPF_MEM | BPF_W, R_A, R_C, 0, 0);
	rule_put_alu_reg(w, BPF_XOR, R_A, R_B);
	rule_put(w, BPF_STX | BPF_MEM | BPF_W, R_C, R_A, 0, 0);
}

static int put_corrupt(struct rule_writing *w, const struct build *b, const struct packet_rule *rule, size_t number,
		       const struct rule_maps *maps, struct vbm_error *err)
{
	size_t bit;
	bool ip6;

	if (bit_of(b, rule, &bit, err) < 0)
		return -err->code;
	ip_at(b, &ip6);
	rule_put(w, BPF_LDX | BPF_MEM | BPF_B, R_A, R_DATA, (int16_t)(bit / 8), 0);
	rule_put_alu(w, BPF_XOR, R_A, 1 << (7 - bit % 8));
	put_byte(w, bit / 8, R_A);
	if (rule->right_icrc)
		put_right_icrc(w, number, ip6, maps->crcs);
	return 0;
}

/* A bit was flipped, and so the CRC changed by @crc. Returns its change if one more byte follows the bit. */
static uint32_t behind_zero(uint32_t crc)
{
	static const uint8_t zero;

	return ~deflate_crc32_add(~crc, &zero, 1);
}

int rule_crcs(const struct packet_rule *rule, bool ip6, uint32_t entry[RULE_CRC_ENTRIES], struct vbm_error *err)
{
	static struct build b;
	size_t bit, len;
	uint8_t flipped;
	uint32_t crc;

	pattern_layout(&b, &rule->pattern, ip6);
	if (bit_of(&b, rule, &bit, err) < 0)
		return -err->code;
	memset(entry, 0, RULE_CRC_ENTRIES * sizeof(*entry));
	if (!packet_icrc_covers(&b.packet, bit))
		return 0;
	flipped = (uint8_t)(1 << (7 - bit % 8));
	crc = ~deflate_crc32_add(UINT32_MAX, &flipped, 1);
	for (len = bit / 8 + 1 + PACKET_ICRC_BYTES; len < RULE_CRC_ENTRIES; len++) {
		/* The program works with numbers of this machine; the packet has the low byte first. */
		entry[len] = htole32(crc);
		crc = behind_zero(crc);
	}
	return 0;
}

int rule_put_action(struct rule_writing *w, const struct build *b, const struct packet_rule *rule, size_t number,
		    const struct rule_maps *maps, struct vbm_error *err)
{
	int rc = 0;

	if (rule->action == RULE_TRUNCATE)
		put_is_longer(w, b, rule->value);
	put_counts(w, rule, number, maps);
	if (maps->records >= 0)
		put_record(w, number, rule_kinds[rule->action].keeps ? RULE_RECORD_ALL : RULE_RECORD_BYTES, maps->records);
	if (rule->action == RULE_CORRUPT)
		rc = put_corrupt(w, b, rule, number, maps, err);
	else if (rule->action == RULE_MARK)
		put_mark(w, b, rule->value);
	else if (rule->action == RULE_TRUNCATE)
		put_truncate(w, b, rule->value);
	rule_put_alu(w, BPF_MOV, R_RESULT, rule_kinds[rule->action].drops ? XDP_DROP : XDP_PASS);
	rule_put(w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return rc;
}

void rule_put(struct rule_writing *w, uint8_t op, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
	if (w->code->count == RULE_INSNS_MAX) {
		w->full = true;
		return;
	}
	w->code->insn[w->code->count++] = (struct bpf_insn){
		.code = op, .dst_reg = dst & 0xf, .src_reg = src & 0xf, .off = off, .imm = imm,
	};
}

void rule_put_constant(struct rule_writing *w, uint8_t dst, uint8_t src, uint64_t value)
{
	rule_put(w, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)(uint32_t)value);
	rule_put(w, 0, 0, 0, 0, (int32_t)(uint32_t)(value >> 32));
}

void rule_put_alu(struct rule_writing *w, uint8_t op, uint8_t dst, int32_t imm)
{
	rule_put(w, (uint8_t)(BPF_ALU64 | BPF_K | op), dst, 0, 0, imm);
}

void rule_put_alu_reg(struct rule_writing *w, uint8_t op, uint8_t dst, uint8_t src)
{
	rule_put(w, (uint8_t)(BPF_ALU64 | BPF_X | op), dst, src, 0, 0);
}

size_t rule_put_jump(struct rule_writing *w, uint8_t op, uint8_t dst, int32_t imm)
{
	rule_put(w, (uint8_t)(BPF_JMP | BPF_K | op), dst, 0, 0, imm);
	return w->code->count - 1;
}

void rule_land(struct rule_writing *w, size_t jump)
{
	w->code->insn[jump].off = (int16_t)(w->code->count - jump - 1);
}

void rule_end_block(struct rule_writing *w)
{
	size_t i;

	for (i = w->block; i < w->code->count; i++)
		if (w->code->insn[i].off == RULE_TO_NEXT)
			w->code->insn[i].off = (int16_t)(w->code->count - i - 1);
	w->block = w->code->count;
}

void rule_put_load(struct rule_writing *w, size_t at, size_t width)
{
	size_t first = at / 8, last = (at + width - 1) / 8, spare = 7 - (at + width - 1) % 8, i;

	rule_put_alu(w, BPF_MOV, R_A, 0);
	for (i = first; i <= last; i++) {
		if (i > first)
			rule_put_alu(w, BPF_LSH, R_A, 8);
		rule_put(w, BPF_LDX | BPF_MEM | BPF_B, R_B, R_DATA, (int16_t)i, 0);
		rule_put_alu_reg(w, BPF_OR, R_A, R_B);
	}
	if (spare)
		rule_put_alu(w, BPF_RSH, R_A, (int32_t)spare);
	if (width < 64) {
		rule_put_constant(w, R_B, 0, (1ULL << width) - 1);
		rule_put_alu_reg(w, BPF_AND, R_A, R_B);
	}
}

void rule_put_length(struct rule_writing *w, uint8_t dst)
{
	rule_put_alu_reg(w, BPF_MOV, dst, R_END);
	rule_put_alu_reg(w, BPF_SUB, dst, R_DATA);
}

int rule_find(const struct build *b, const char *name, size_t *at, size_t *width, struct vbm_error *err)
{
	const struct header_field *f;
	size_t i;

	for (i = 0; i < b->packet.layers; i++) {
		f = header_find_field(b->packet.layer[i].header, name);
		if (!f || f->width > 64)
			continue;
		*at = b->packet.layer[i].at * 8 + f->at;
		*width = f->width;
		return 0;
	}
	return vbm_fail(err, EINVAL, "a rule cannot see '%s' in the packets that it means: name their operation, with its "
			"transport unless that is RC", name);
}
