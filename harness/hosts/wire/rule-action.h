/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_RULE_ACTION_H
#define VBM_WIRE_RULE_ACTION_H

#include "wire/rule-write.h"

/*
 * Writes the code for a packet that matches: it counts the packet, tells the process of it, and drops,
 * keeps or changes it. @b has the layout of the packet.
 */
int rule_put_action(struct rule_writing *w, const struct build *b, const struct packet_rule *rule, size_t number,
		    const struct rule_maps *maps, struct vbm_error *err);

/* The entries of the map of CRCs for this rule; all 0 if the bit is none that the CRC covers. */
int rule_crcs(const struct packet_rule *rule, bool ip6, uint32_t entry[RULE_CRC_ENTRIES], struct vbm_error *err);

#endif
