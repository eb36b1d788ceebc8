/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/rule-code.h"

#include <errno.h>
#include <string.h>

#include "base/xalloc.h"
#include "codec/build.h"
#include "lib/base/fail.h"
#include "names/consts.h"

/* Registers. Calls keep those from R_DATA on. */
enum {
	R_RESULT = BPF_REG_0,
	R_A = BPF_REG_1,
	R_B = BPF_REG_2,
	R_DATA = BPF_REG_7,
	R_END = BPF_REG_8,
	R_WANTED = BPF_REG_9,
	R_STACK = BPF_REG_10,
};

#define KEY_AT (-4)		/* on the stack */
#define TO_NEXT INT16_MAX	/* a jump whose target is the next block, until that is known */

struct writing {
	struct rule_code *code;
	size_t block;		/* where the present block begins */
	bool full;
};

static void put(struct writing *w, uint8_t op, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
	if (w->code->count == RULE_INSNS_MAX) {
		w->full = true;
		return;
	}
	w->code->insn[w->code->count++] = (struct bpf_insn){
		.code = op, .dst_reg = dst & 0xf, .src_reg = src & 0xf, .off = off, .imm = imm,
	};
}

/* A constant of 64 bits takes two instructions. @src: what kind it is. */
static void put_constant(struct writing *w, uint8_t dst, uint8_t src, uint64_t value)
{
	put(w, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)(uint32_t)value);
	put(w, 0, 0, 0, 0, (int32_t)(uint32_t)(value >> 32));
}

static void put_alu(struct writing *w, uint8_t op, uint8_t dst, int32_t imm)
{
	put(w, (uint8_t)(BPF_ALU64 | BPF_K | op), dst, 0, 0, imm);
}

static void put_move(struct writing *w, uint8_t dst, uint8_t src)
{
	put(w, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

/* All jumps to the next block go behind this instruction. */
static void end_block(struct writing *w)
{
	size_t i;

	for (i = w->block; i < w->code->count; i++)
		if (w->code->insn[i].off == TO_NEXT)
			w->code->insn[i].off = (int16_t)(w->code->count - i - 1);
	w->block = w->code->count;
}

/* R_A = the @width bits from bit @at of the packet. */
static void put_load(struct writing *w, size_t at, size_t width)
{
	size_t first = at / 8, last = (at + width - 1) / 8, spare = 7 - (at + width - 1) % 8, i;

	put(w, BPF_ALU64 | BPF_MOV | BPF_K, R_A, 0, 0, 0);
	for (i = first; i <= last; i++) {
		if (i > first)
			put_alu(w, BPF_LSH, R_A, 8);
		put(w, BPF_LDX | BPF_MEM | BPF_B, R_B, R_DATA, (int16_t)i, 0);
		put(w, BPF_ALU64 | BPF_OR | BPF_X, R_A, R_B, 0, 0);
	}
	if (spare)
		put_alu(w, BPF_RSH, R_A, (int32_t)spare);
	if (width < 64) {
		put_constant(w, R_B, 0, (1ULL << width) - 1);
		put(w, BPF_ALU64 | BPF_AND | BPF_X, R_A, R_B, 0, 0);
	}
}

/* Go to the next block unless the bits meet the comparison. */
static void put_test(struct writing *w, size_t at, size_t width, enum pattern_op op, uint64_t value)
{
	static const uint8_t otherwise[] = {
		[PATTERN_EQ] = BPF_JNE, [PATTERN_NE] = BPF_JEQ, [PATTERN_LT] = BPF_JGE,
		[PATTERN_GT] = BPF_JLE, [PATTERN_LE] = BPF_JGT, [PATTERN_GE] = BPF_JLT,
	};

	put_load(w, at, width);
	put_constant(w, R_WANTED, 0, value);
	put(w, (uint8_t)(BPF_JMP | BPF_X | otherwise[op]), R_A, R_WANTED, TO_NEXT, 0);
}

/* Where a field is, in bits from the beginning of the packet. */
static int find(const struct build *b, const char *name, size_t *at, size_t *width, struct vbm_error *err)
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

static int put_field(struct writing *w, const struct build *b, const char *name, enum pattern_op op, uint64_t value,
		     struct vbm_error *err)
{
	size_t at = 0, width = 0;
	int rc = find(b, name, &at, &width, err);

	if (rc == 0)
		put_test(w, at, width, op, value);
	return rc;
}

static int put_word(struct writing *w, const struct build *b, const struct pattern_word *word, struct vbm_error *err)
{
	switch (word->kind) {
	case WORD_OPERATION:
	case WORD_TRANSPORT:
		return 0;	/* the opcode is compared as a whole */
	case WORD_MESSAGE:
		if (put_field(w, b, "qp", PATTERN_EQ, 1, err) < 0 ||
		    put_field(w, b, "class", PATTERN_EQ, PACKET_CLASS_CM, err) < 0)
			return -err->code;
		return word->value ? put_field(w, b, "attribute", PATTERN_EQ, word->value, err) : 0;
	case WORD_KIND:
		return put_field(w, b, "kind", PATTERN_EQ, word->value, err);
	case WORD_FIELD:
		return put_field(w, b, word->field, word->op, word->value, err);
	default:
		return vbm_fail(err, EINVAL, "a rule cannot look at %s", word->name ? word->name : "that");
	}
}

/* "RC" without an operation. */
static void put_transport(struct writing *w, const struct build *b, const struct pattern *p)
{
	size_t at = 0, width = 0, i;
	uint8_t n;

	find(b, "opcode", &at, &width, NULL);
	for (i = 0; i < p->count; i++)
		for (n = 0; p->word[i].kind == WORD_TRANSPORT && n < 8; n++)
			if (!strcmp(opcode_transport((uint8_t)(n << 5)), p->word[i].name))
				put_test(w, at, 3, PATTERN_EQ, n);
}

/* Leave the block unless it is RoCE v2 of this family, with all headers that the rule means. */
static void put_family(struct writing *w, const struct build *b, bool ip6)
{
	static const char *const kinds[] = {"ether_type", "protocol", "dst_port"};
	const struct packet *p = &b->packet;
	size_t ip = packet_layer(p, ip6 ? &header_ip6 : &header_ip4)->at * 8, i;

	put_move(w, R_A, R_DATA);
	put_alu(w, BPF_ADD, R_A, (int32_t)p->len + PACKET_ICRC_BYTES);
	put(w, BPF_JMP | BPF_X | BPF_JGT, R_A, R_END, TO_NEXT, 0);
	put_test(w, ip, 8, ip6 ? PATTERN_LT : PATTERN_EQ, ip6 ? 0x70 : 0x45);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		put_field(w, b, kinds[i], PATTERN_EQ, packet_get(p, kinds[i], 0), NULL);
}

/* Count the match, and go on only if the rule acts on it. */
static void put_counts(struct writing *w, const struct packet_rule *rule, size_t number, int counts)
{
	put(w, BPF_ST | BPF_MEM | BPF_W, R_STACK, 0, KEY_AT, (int32_t)number);
	put_move(w, R_B, R_STACK);
	put_alu(w, BPF_ADD, R_B, KEY_AT);
	put_constant(w, R_A, BPF_PSEUDO_MAP_FD, (uint64_t)counts);
	put(w, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	put(w, BPF_JMP | BPF_JEQ | BPF_K, R_RESULT, 0, TO_NEXT, 0);
	put(w, BPF_LDX | BPF_MEM | BPF_DW, R_A, R_RESULT, offsetof(struct rule_counts, matched), 0);
	put_alu(w, BPF_ADD, R_A, 1);
	put(w, BPF_STX | BPF_MEM | BPF_DW, R_RESULT, R_A, offsetof(struct rule_counts, matched), 0);
	put_constant(w, R_WANTED, 0, rule->first);
	put(w, BPF_JMP | BPF_X | BPF_JLT, R_A, R_WANTED, TO_NEXT, 0);
	if (rule->count) {
		put_constant(w, R_WANTED, 0, rule->first + rule->count);
		put(w, BPF_JMP | BPF_X | BPF_JGE, R_A, R_WANTED, TO_NEXT, 0);
	}
	put(w, BPF_LDX | BPF_MEM | BPF_DW, R_A, R_RESULT, offsetof(struct rule_counts, acted), 0);
	put_alu(w, BPF_ADD, R_A, 1);
	put(w, BPF_STX | BPF_MEM | BPF_DW, R_RESULT, R_A, offsetof(struct rule_counts, acted), 0);
}

static int put_action(struct writing *w, const struct build *b, const struct packet_rule *rule, struct vbm_error *err)
{
	size_t at = (b->packet.len + 1) * 8 - 1, width = 1, bit, byte;

	if (rule->action == RULE_CORRUPT) {
		if (*rule->field && find(b, rule->field, &at, &width, err) < 0)
			return -err->code;
		bit = *rule->field ? at + width - 1 : at;
		byte = bit / 8;
		put(w, BPF_LDX | BPF_MEM | BPF_B, R_A, R_DATA, (int16_t)byte, 0);
		put_alu(w, BPF_XOR, R_A, 1 << (7 - bit % 8));
		put(w, BPF_STX | BPF_MEM | BPF_B, R_DATA, R_A, (int16_t)byte, 0);
	}
	put_alu(w, BPF_MOV, R_RESULT, rule->action == RULE_DROP ? XDP_DROP : XDP_PASS);
	put(w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return 0;
}

/* One rule for one family of addresses. */
static int put_block(struct writing *w, const struct packet_rule *rule, size_t number, bool ip6, int counts,
		     struct vbm_error *err)
{
	static struct build b;
	uint8_t opcode = pattern_opcode(&rule->pattern);
	int rc = pattern_check(&rule->pattern, PATTERN_RULE, err);
	size_t i;

	if (rc < 0)
		return rc;
	pattern_layout(&b, &rule->pattern, ip6);
	put_family(w, &b, ip6);
	if (opcode == OPCODE_NONE)
		put_transport(w, &b, &rule->pattern);
	else
		rc = put_field(w, &b, "opcode", PATTERN_EQ, opcode, err);
	for (i = 0; rc == 0 && i < rule->pattern.count; i++)
		rc = put_word(w, &b, &rule->pattern.word[i], err);
	if (rc < 0)
		return rc;
	put_counts(w, rule, number, counts);
	rc = put_action(w, &b, rule, err);
	end_block(w);
	return rc;
}

int rule_code(struct rule_code *code, const struct packet_rule *rules, size_t count, int counts, struct vbm_error *err)
{
	struct writing w = {.code = code};
	size_t i;
	int rc = 0;

	code->count = 0;
	put(&w, BPF_LDX | BPF_MEM | BPF_W, R_DATA, R_A, offsetof(struct xdp_md, data), 0);
	put(&w, BPF_LDX | BPF_MEM | BPF_W, R_END, R_A, offsetof(struct xdp_md, data_end), 0);
	w.block = code->count;
	for (i = 0; rc == 0 && i < count; i++) {
		if (rules[i].action == RULE_OFF)
			continue;
		rc = put_block(&w, &rules[i], i, false, counts, err);
		if (rc == 0)
			rc = put_block(&w, &rules[i], i, true, counts, err);
	}
	put_alu(&w, BPF_MOV, R_RESULT, XDP_PASS);
	put(&w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	if (rc == 0 && (w.full || count > RULES_MAX))
		return vbm_fail(err, E2BIG, "these are too many rules for one interface");
	return rc;
}
