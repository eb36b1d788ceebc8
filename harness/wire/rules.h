/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_RULES_H
#define VBM_WIRE_RULES_H

#include <stddef.h>

#include <verbatim/error.h>

#include "wire/rule-code.h"

/*
 * The rules for the packets that one interface receives. The kernel applies them until
 * rules_close(), or until the process ends.
 */
struct packet_rules {
	int ifindex;
	int counts, link;	/* owned; -1: not yet */
	struct packet_rule *rule;	/* owned */
	size_t count;
};

/* An interface of the caller's network namespace. */
int rules_open(struct packet_rules *r, const char *interface, struct vbm_error *err);

/* Takes @rule->pattern, also on failure. The number of the rule, from 0. */
int rules_add(struct packet_rules *r, struct packet_rule *rule, struct vbm_error *err);
int rules_end(struct packet_rules *r, size_t number, struct vbm_error *err);
int rules_counts(const struct packet_rules *r, size_t number, struct rule_counts *counts, struct vbm_error *err);
void rules_close(struct packet_rules *r);

#endif
