/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_RULE_ACTION_H
#define VBM_WIRE_RULE_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/rule-code.h"

/* Instructions for the rules, one after the other. Pure. For rule-code.c and rule-action.c. */
struct build;

/* Registers. Calls keep those from R_CONTEXT on. */
enum {
	R_RESULT = BPF_REG_0,
	R_A = BPF_REG_1,
	R_B = BPF_REG_2,
	R_C = BPF_REG_3,
	R_D = BPF_REG_4,
	R_E = BPF_REG_5,
	R_CONTEXT = BPF_REG_6,
	R_DATA = BPF_REG_7,
	R_END = BPF_REG_8,
	R_WANTED = BPF_REG_9,
	R_STACK = BPF_REG_10,
};

#define RULE_KEY_AT (-4)		/* on the stack */
#define RULE_TO_NEXT INT16_MAX	/* a jump whose target is the next block, until that is known */

struct rule_writing {
	struct rule_code *code;
	size_t block;		/* where the present block begins */
	bool full;
};

void rule_put(struct rule_writing *w, uint8_t op, uint8_t dst, uint8_t src, int16_t off, int32_t imm);

/* A constant of 64 bits takes two instructions. @src: what kind it is. */
void rule_put_constant(struct rule_writing *w, uint8_t dst, uint8_t src, uint64_t value);
void rule_put_alu(struct rule_writing *w, uint8_t op, uint8_t dst, int32_t imm);
void rule_put_alu_reg(struct rule_writing *w, uint8_t op, uint8_t dst, uint8_t src);

/* A jump forward, to where rule_land() is called for its number. */
size_t rule_put_jump(struct rule_writing *w, uint8_t op, uint8_t dst, int32_t imm);
void rule_land(struct rule_writing *w, size_t jump);

/* All jumps to the next block go behind this instruction. */
void rule_end_block(struct rule_writing *w);

/* R_A = the @width bits from bit @at of the packet. */
void rule_put_load(struct rule_writing *w, size_t at, size_t width);

/* @dst = the bytes of the packet. */
void rule_put_length(struct rule_writing *w, uint8_t dst);

/* Where a field is, in bits from the beginning of the packet. */
int rule_find(const struct build *b, const char *name, size_t *at, size_t *width, struct vbm_error *err);

/*
 * Writes the code for a packet that matches: it counts the packet, tells the process of it, and drops,
 * keeps or changes it. @b has the layout of the packet.
 */
int rule_put_action(struct rule_writing *w, const struct build *b, const struct packet_rule *rule, size_t number,
		    const struct rule_maps *maps, struct vbm_error *err);

/* The entries of the map of CRCs for this rule; all 0 if the bit is none that the CRC covers. */
int rule_crcs(const struct packet_rule *rule, bool ip6, uint32_t entry[RULE_CRC_ENTRIES], struct vbm_error *err);

#endif
