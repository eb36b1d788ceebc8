/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_RULE_CODE_H
#define VBM_WIRE_RULE_CODE_H

#include <linux/bpf.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "codec/pattern.h"

/*
 * Rules for packets as instructions of BPF. Pure. The words of a pattern become
 * comparisons of the bits that the headers' tables name. The kernel then needs no process to look at
 * packets, and one that no rule matches costs some instructions.
 *
 * The program is for packets that an interface receives, in Ethernet without VLANs. The first
 * rule that acts on a packet is the only one that sees it.
 */
enum rule_action {
	RULE_DROP,
	RULE_CORRUPT,		/* flip a bit; the invariant CRC is then wrong */
	RULE_OFF,		/* the rule has ended */
};

struct packet_rule {
	struct pattern pattern;		/* owned */
	enum rule_action action;
	uint64_t first, count;		/* acts on matches from this one on (1: the first); 0 matches: on all later ones */
	char field[32];			/* RULE_CORRUPT: its last bit is flipped; "": that of the payload's first byte */
};

/* What the program counts for each rule. */
struct rule_counts {
	uint64_t matched, acted;
};

#define RULE_INSNS_MAX 4096
#define RULES_MAX 32

struct rule_code {
	struct bpf_insn insn[RULE_INSNS_MAX];
	size_t count;
};

/*
 * @counts is the descriptor of an array with a struct rule_counts for each rule. -EINVAL with a message if a
 * rule names what a program cannot see; -E2BIG: too many rules.
 */
int rule_code(struct rule_code *code, const struct packet_rule *rules, size_t count, int counts, struct vbm_error *err);

#endif
