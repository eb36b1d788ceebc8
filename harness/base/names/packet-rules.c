/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/packet-rules.h"

#include <string.h>

const struct rule_kind rule_kinds[RULE_ACTIONS + 1] = {
	[RULE_MARK] = {"mark_packets", .value = "ecn", .usual = 3},
	[RULE_DUPLICATE] = {"duplicate_packets", .keeps = true},
	[RULE_DELAY] = {"delay_packets", .value = "ms", .is_time = true, .keeps = true, .drops = true},
	[RULE_HOLD] = {"hold_packets", .keeps = true, .waits = true, .drops = true},
	[RULE_DROP] = {"drop_packets", .drops = true, .spoils = true},
	[RULE_CORRUPT] = {"corrupt_packets", .spoils = true},
	[RULE_TRUNCATE] = {"truncate_packets", .value = "left", .cuts = true, .spoils = true},
};

enum rule_action rule_action_of(const char *step)
{
	enum rule_action action = 0;

	while (action < RULE_ACTIONS && strcmp(rule_kinds[action].step, step))
		action++;
	return action;
}
