/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_RULE_CODE_H
#define VBM_WIRE_RULE_CODE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "codec/pattern.h"
#include "names/packet-rules.h"

/*
 * Rules for packets as instructions of BPF. Pure. The words of a pattern become
 * comparisons of the bits that the headers' tables name. The kernel then needs no process to look at
 * packets, and one that no rule matches costs some instructions.
 *
 * The program is for packets that an interface receives, in Ethernet without VLANs. The first
 * rule that acts on a packet is the only one that sees it.
 */

#define RULE_CHANCE_ONE (1ULL << 31)	/* act on each match */

struct packet_rule {
	struct pattern pattern;		/* owned */
	enum rule_action action;
	uint64_t first, count;		/* acts on matches from this one on (1: the first); 0 matches: on all later ones */
	uint64_t chance;		/* of RULE_CHANCE_ONE, for each of these; 0: on all of them */
	char field[32];			/* RULE_CORRUPT: its last bit is flipped; "": that of the payload's first byte */
	bool right_icrc;		/* RULE_CORRUPT: with a new invariant CRC; otherwise it is wrong then */
	uint64_t value;			/* RULE_MARK, RULE_TRUNCATE, RULE_DELAY */
};

/* The program's counts for each rule. @random is the state of its chances: it begins as the seed. */
struct rule_counts {
	uint64_t matched, acted, random;
};

/* The next state. The rule acts if rule_chance() of it is below the rule's chance. */
#define RULE_RANDOM(random) ((random) * 6364136223846793005ULL + 1442695040888963407ULL)
#define RULE_CHANCE(random) ((random) >> 33)

/*
 * A packet that a rule acted on, as it was before: the program tells the process. Of one that is not put back
 * only the first bytes are there.
 */
#define RULE_RECORD_BYTES 128
#define RULE_RECORD_ALL 4584
struct rule_record {
	uint32_t rule, len;	/* the bytes of the packet */
	uint8_t bytes[];
};

/* A packet that is put back has this bit in its source address, so that it passes all rules. */
#define RULE_AGAIN_AT 6
#define RULE_AGAIN_BIT 1

/* For each length of a packet: the XOR by which the invariant CRC changes when the rule flips its bit. */
#define RULE_CRC_ENTRIES 4608

/* Descriptors of maps; -1: none, then the program does without. */
struct rule_maps {
	int counts;		/* an array with a struct rule_counts for each rule */
	int records;		/* a ring of struct rule_record */
	int crcs;		/* an array of RULE_CRC_ENTRIES numbers of 32 bits, two for each rule: IPv4 and IPv6 */
};

#define RULE_INSNS_MAX 4096
#define RULES_MAX 32

struct rule_code {
	struct bpf_insn insn[RULE_INSNS_MAX];
	size_t count;
};

/* -EINVAL with a message if a rule names what a program cannot see; -E2BIG: too many rules. */
int rule_code(struct rule_code *code, const struct packet_rule *rules, size_t count, const struct rule_maps *maps,
	      struct vbm_error *err);

#endif
