/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/rule-read.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/value.h"

#define SEED_MAX 1000000	/* of those that are drawn: short enough to be written down */

static uint64_t value_of(const struct rule_kind *kind, const struct value *args)
{
	int64_t value = kind->value ? value_get_int(args, kind->value, kind->usual) : 0;

	return kind->is_time ? (uint64_t)clock_span_ns((int)value) : (uint64_t)value;
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
	rule->value = value_of(&rule_kinds[rule->action], args);
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
