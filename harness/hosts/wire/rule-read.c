/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/rule-read.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"

#define SEED_MAX 1000000	/* of those that are drawn: short enough to be written down */

/* @value is the parameter that the rule's value comes from, and @usual what it is without that; NULL: it has none. */
static const struct rule_step {
	const char *step;
	enum rule_action action;
	const char *value;
	int64_t usual;
} steps[] = {
	{"drop_packets", RULE_DROP, NULL, 0},
	{"corrupt_packets", RULE_CORRUPT, NULL, 0},
	{"mark_packets", RULE_MARK, "ecn", 3},
	{"truncate_packets", RULE_TRUNCATE, "left", 0},
	{"hold_packets", RULE_HOLD, NULL, 0},
	{"duplicate_packets", RULE_DUPLICATE, NULL, 0},
	{"delay_packets", RULE_DELAY, "ms", 0},
};

static const struct rule_step *find(const char *step)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps); i++)
		if (!strcmp(steps[i].step, step))
			return &steps[i];
	return NULL;
}

enum rule_action rule_action_of(const char *step)
{
	const struct rule_step *s = find(step);

	return s ? s->action : RULE_OFF;
}

static uint64_t value_of(const struct rule_step *s, const struct value *args)
{
	int64_t value = s && s->value ? value_get_int(args, s->value, s->usual) : 0;

	return s && s->action == RULE_DELAY ? (uint64_t)clock_span_ns((int)value) : (uint64_t)value;
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
	rule->value = value_of(find(step), args);
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
