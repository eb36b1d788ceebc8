/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/rule-read.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"

#define SEED_MAX 1000000	/* of those that are drawn: short enough to be written down */

static const struct {
	const char *step;
	enum rule_action action;
} actions[] = {
	{"drop_packets", RULE_DROP}, {"corrupt_packets", RULE_CORRUPT}, {"mark_packets", RULE_MARK},
	{"truncate_packets", RULE_TRUNCATE}, {"hold_packets", RULE_HOLD}, {"duplicate_packets", RULE_DUPLICATE},
};

enum rule_action rule_action_of(const char *step)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(actions); i++)
		if (!strcmp(actions[i].step, step))
			return actions[i].action;
	return RULE_OFF;
}

int rule_read(struct packet_rule *rule, const char *step, const struct value *args, struct vbm_error *err)
{
	const struct value *is = value_get(args, "is");
	int rc = 0;
	size_t i;

	*rule = (struct packet_rule){.action = rule_action_of(step)};
	rule->first = (uint64_t)value_get_int(args, "first", 1);
	rule->count = (uint64_t)value_get_int(args, "count", value_get(args, "percent") ? 0 : 1);
	rule->chance = RULE_CHANCE_ONE / 100 * (uint64_t)value_get_int(args, "percent", 0);
	rule->right_icrc = value_get_bool(args, "icrc", false);
	rule->value = (uint64_t)value_get_int(args, rule->action == RULE_MARK ? "ecn" : "left", 3);
	snprintf(rule->field, sizeof(rule->field), "%s", value_get_string(args, "field", ""));
	for (i = 0; is && rc == 0 && i < is->list.count; i++)
		rc = pattern_add(&rule->pattern, is->list.item[i]->s, err);
	return rc;
}

void rule_free(struct packet_rule *rule)
{
	pattern_fini(&rule->pattern);
}

uint64_t rule_seed(const struct packet_rule *rule, const struct value *args)
{
	return rule->chance ? (uint64_t)value_get_int(args, "seed", clock_now_ns() % SEED_MAX) : 0;
}
