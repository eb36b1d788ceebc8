/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_PACKET_RULES_H
#define VBM_NAMES_PACKET_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* The kinds of rules for packets, in the order of the counts of coverage. A step of a scenario makes each. */
enum rule_action {
	RULE_MARK,		/* set the congestion marks of IP, and its checksum */
	RULE_DUPLICATE,		/* let it pass, and keep a copy that is put back at once */
	RULE_DELAY,		/* keep the packet for @value nanoseconds, and put it back then */
	RULE_HOLD,		/* keep the packet until somebody puts it back */
	RULE_DROP,
	RULE_CORRUPT,		/* flip a bit */
	RULE_TRUNCATE,		/* leave @value bytes from the base transport header on, with the lengths of IP and UDP */
	RULE_OFF,		/* the rule has ended */
	RULE_ACTIONS = RULE_OFF,
};

struct rule_kind {
	const char *step;	/* "drop_packets": its name up to the "_" is that of the fault */
	const char *value;	/* the parameter with its value; NULL: it has none */
	int64_t usual;		/* the value without that parameter */
	bool is_time;		/* the value is in milliseconds */
	bool keeps;		/* the process gets the packets whole, to put them back */
	bool waits;		/* it puts them back when the step release_packets says so, which programs cannot say */
	bool drops;		/* the packets do not arrive by themselves */
	bool cuts;		/* a packet goes on, but with too small a value it is no RDMA packet any more, and nothing counts it */
	bool spoils;		/* the receiver's device does not take the packet, or does not get it */
};

/* The entry of RULE_OFF has nothing. */
extern const struct rule_kind rule_kinds[RULE_ACTIONS + 1];

/* The action of a step that makes a rule; RULE_OFF: the step makes none. */
enum rule_action rule_action_of(const char *step);

#endif
