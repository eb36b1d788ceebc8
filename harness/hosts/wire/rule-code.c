/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/rule-code.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <string.h>

#include "base/xalloc.h"
#include "codec/build.h"
#include "lib/base/fail.h"
#include "wire/rule-action.h"

/* Go to the next block unless the bits meet the comparison. */
static void put_test(struct rule_writing *w, size_t at, size_t width, enum pattern_op op, uint64_t value)
{
	static const uint8_t otherwise[] = {
		[PATTERN_EQ] = BPF_JNE, [PATTERN_NE] = BPF_JEQ, [PATTERN_LT] = BPF_JGE,
		[PATTERN_GT] = BPF_JLE, [PATTERN_LE] = BPF_JGT, [PATTERN_GE] = BPF_JLT,
	};

	rule_put_load(w, at, width);
	rule_put_constant(w, R_WANTED, 0, value);
	rule_put(w, (uint8_t)(BPF_JMP | BPF_X | otherwise[op]), R_A, R_WANTED, RULE_TO_NEXT, 0);
}

static int put_field(struct rule_writing *w, const struct build *b, const char *name, enum pattern_op op, uint64_t value,
		     struct vbm_error *err)
{
	size_t at = 0, width = 0;
	int rc = rule_find(b, name, &at, &width, err);

	if (rc == 0)
		put_test(w, at, width, op, value);
	return rc;
}

static int put_word(struct rule_writing *w, const struct build *b, const struct pattern_word *word, struct vbm_error *err)
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
static void put_transport(struct rule_writing *w, const struct build *b, const struct pattern *p)
{
	size_t at = 0, width = 0, i;
	uint8_t n;

	rule_find(b, "opcode", &at, &width, NULL);
	for (i = 0; i < p->count; i++)
		for (n = 0; p->word[i].kind == WORD_TRANSPORT && n < 8; n++)
			if (!strcmp(opcode_transport((uint8_t)(n << 5)), p->word[i].name))
				put_test(w, at, 3, PATTERN_EQ, n);
}

/* Leave the block unless it is RoCE v2 of this family, with all headers that the rule means. */
static void put_family(struct rule_writing *w, const struct build *b, bool ip6)
{
	static const char *const kinds[] = {"ether_type", "protocol", "dst_port"};
	const struct packet *p = &b->packet;
	size_t ip = packet_layer(p, ip6 ? &header_ip6 : &header_ip4)->at * 8, i;

	rule_put_alu_reg(w, BPF_MOV, R_A, R_DATA);
	rule_put_alu(w, BPF_ADD, R_A, (int32_t)p->len + PACKET_ICRC_BYTES);
	rule_put(w, BPF_JMP | BPF_X | BPF_JGT, R_A, R_END, RULE_TO_NEXT, 0);
	put_test(w, ip, 8, ip6 ? PATTERN_LT : PATTERN_EQ, ip6 ? 0x70 : 0x45);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		put_field(w, b, kinds[i], PATTERN_EQ, packet_get(p, kinds[i], 0), NULL);
}

/* One rule for one family of addresses. */
static int put_block(struct rule_writing *w, const struct packet_rule *rule, size_t number, bool ip6, const struct rule_maps *maps,
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
	rc = rule_put_action(w, &b, rule, number, maps, err);
	rule_end_block(w);
	return rc;
}

/* A packet that the rules have put back passes: its source address, which has the bit of groups, gets its own bit again. */
static void put_again(struct rule_writing *w)
{
	rule_put_alu_reg(w, BPF_MOV, R_A, R_DATA);
	rule_put_alu(w, BPF_ADD, R_A, ETH_HLEN);
	rule_put(w, BPF_JMP | BPF_X | BPF_JGT, R_A, R_END, RULE_TO_NEXT, 0);
	rule_put(w, BPF_LDX | BPF_MEM | BPF_B, R_A, R_DATA, RULE_AGAIN_AT, 0);
	rule_put_alu_reg(w, BPF_MOV, R_B, R_A);
	rule_put_alu(w, BPF_AND, R_B, RULE_AGAIN_BIT);
	rule_put(w, BPF_JMP | BPF_K | BPF_JEQ, R_B, 0, RULE_TO_NEXT, 0);
	rule_put_alu(w, BPF_XOR, R_A, RULE_AGAIN_BIT);
	rule_put(w, BPF_STX | BPF_MEM | BPF_B, R_DATA, R_A, RULE_AGAIN_AT, 0);
	rule_put_alu(w, BPF_MOV, R_RESULT, XDP_PASS);
	rule_put(w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	rule_end_block(w);
}

int rule_code(struct rule_code *code, const struct packet_rule *rules, size_t count, const struct rule_maps *maps, struct vbm_error *err)
{
	struct rule_writing w = {.code = code};
	size_t i;
	int rc = 0;

	code->count = 0;
	rule_put_alu_reg(&w, BPF_MOV, R_CONTEXT, R_A);
	rule_put(&w, BPF_LDX | BPF_MEM | BPF_W, R_DATA, R_A, offsetof(struct xdp_md, data), 0);
	rule_put(&w, BPF_LDX | BPF_MEM | BPF_W, R_END, R_A, offsetof(struct xdp_md, data_end), 0);
	w.block = code->count;
	put_again(&w);
	for (i = 0; rc == 0 && i < count; i++) {
		if (rules[i].action == RULE_OFF)
			continue;
		rc = put_block(&w, &rules[i], i, false, maps, err) ?:
		     put_block(&w, &rules[i], i, true, maps, err);
	}
	rule_put_alu(&w, BPF_MOV, R_RESULT, XDP_PASS);
	rule_put(&w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	if (rc == 0 && (w.full || count > RULES_MAX))
		return vbm_fail(err, E2BIG, "these are too many rules for one interface");
	return rc;
}
