/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/exec-wire.c wire/rules.c names/packet-rules.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/clock.h"
#include "base/value.h"
#include "session/exec-report.h"
#include "wire/rules.h"

TEST(test_exec_rules__a_list_of_steps__is_read)
{
	static const char file[] = "- b.drop_packets: {is: [SEND_ONLY, psn=7], first: 2}\n"
				   "- a.mark_packets: {is: [RC], percent: 25, seed: 9}\n";
	auto_free char *errors = NULL;
	auto_value struct value *rules = exec_rules_read(file, strlen(file), "w.yaml", 2, &errors);
	const struct value *second;
	struct packet_rule rule;
	struct vbm_error err = {0};

	assert_non_null(rules);
	assert_int_equal(rules->list.count, 2);
	second = rules->list.item[1];
	assert_string_equal(value_get_string(second, "host", ""), "a");
	assert_int_equal(value_get_int(second, "line", 0), 2);
	assert_int_equal(rule_read(&rule, value_get_string(second, "step", ""), value_get(second, "args"), &err), 0);
	assert_int_equal(rule.action, RULE_MARK);
	assert_int_equal(rule.value, 3);
	assert_int_equal(rule.count, 0);
	assert_int_equal(rule.chance, RULE_CHANCE_ONE / 100 * 25);
	assert_int_equal(rule_seed(&rule, value_get(second, "args")), 9);
	pattern_fini(&rule.pattern);
	assert_int_equal(rule_action_of("end_rule"), RULE_OFF);
}

/* A delay is a time of the harness, so it is longer by the factor of a slow machine. */
TEST(test_exec_rules__delay)
{
	static const char file[] = "- b.delay_packets: {is: [RC], ms: 20}";
	auto_free char *errors = NULL;
	auto_value struct value *rules = exec_rules_read(file, strlen(file), "w.yaml", 2, &errors);
	struct packet_rule rule;
	int factor = clock_factor();

	assert_non_null(rules);
	clock_set_factor(3);
	assert_int_equal(rule_read(&rule, "delay_packets", value_get(rules->list.item[0], "args"), NULL), 0);
	clock_set_factor(factor);
	assert_int_equal(rule.action, RULE_DELAY);
	assert_int_equal(rule.value, 60000000);
	rule_free(&rule);
}

TEST(test_exec_rules__mistakes__have_their_place)
{
	static const struct {
		const char *file, *error;
	} row[] = {
		{"- c.drop_packets: {is: [RC]}", "w.yaml:1:3: error: 'c' is none of the 2 hosts"},
		{"- .drop_packets: {is: [RC]}", "'' is none of the 2 hosts"},
		{"- abcdefghij.drop_packets: {is: [RC]}", "'abcdefghij' is none of the 2 hosts"},
		{"- b.hold_packets: {is: [RC]}", "'hold_packets' cannot be used in --wire"},
		{"- b.post_send: {}", "'post_send' cannot be used in --wire"},
		{"- b: {}", "'' cannot be used in --wire"},
		{"- b.delay_packets: {is: [RC]}", "delay_packets needs 'ms'"},
		{"- b.delay_packets: {is: [RC], ms: 0}", "'ms' is 0"},
		{"- b.drop_packets: {iz: [RC]}", "w.yaml:1:"},
		{"- b.drop_packets: {is: [SEND_ONLY, rkey=5]}", "no packet that matches the other words has a field 'rkey'"},
		{"- b.drop_packets: {is: [RC], percent: 101}", "'percent' is 101"},
		{"- b.drop_packets", "a rule is a step of a scenario"},
		{"b.drop_packets: {is: [RC]}", "is a list of rules"},
		{"[]", "there is no rule"},
		{"- [", "w.yaml:"},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		auto_free char *errors = NULL;
		auto_value struct value *rules = exec_rules_read(row[i].file, strlen(row[i].file), "w.yaml", 2, &errors);

		assert_null(rules);
		if (!strstr(errors, row[i].error))
			fail_msg("%s: %s", row[i].file, errors);
	}
}

TEST(test_exec_rules__note__says_what_a_rule_did)
{
	auto_value struct value *e = value_map();
	auto_text struct text out = {0};

	value_set_string(e, "event", "rule");
	value_set_string(e, "host", "b");
	value_set_string(e, "step", "drop_packets");
	value_set_int(e, "line", 3);
	value_set_int(e, "matched", 20);
	value_set_int(e, "acted", 2);
	value_set_int(e, "seed", 7);
	exec_rules_note(e, "w.yaml", &out);
	value_set_int(e, "acted", 0);
	exec_rules_note(e, "w.yaml", &out);
	assert_string_equal(out.s, "b.drop_packets (w.yaml:3) acted on 2 of 20 packets that matched, with the seed 7\n"
				   "b.drop_packets (w.yaml:3) has never acted: 20 packets matched, with the seed 7\n");
}
