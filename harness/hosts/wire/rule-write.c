/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/rule-write.h"

#include <errno.h>

#include "codec/build.h"
#include "lib/base/fail.h"

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
