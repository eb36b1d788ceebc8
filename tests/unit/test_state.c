/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job/state.c */
#include "cmocka_all.h"

#include "base/text.h"
#include "job/state.h"

static const struct state_counters before = {
	.count = 3, .item = {{"sent_pkts", 5}, {"rcvd_pkts", 7}, {"gone", 1}},
};
static const struct state_counters after = {
	.count = 3, .item = {{"new", 2}, {"rcvd_pkts", 7}, {"sent_pkts", 6}},
};

TEST(test_state__grown__is_what_came_since)
{
	auto_text struct text out = {0};

	state_add_grown(&out, &before, &after);
	assert_string_equal(out.s, "new 2, sent_pkts 1");
}

TEST(test_state__grown_since_nothing__is_what_is_not_0)
{
	static const struct state_counters none = {.count = 1, .item = {{"sent_pkts", 0}}};
	auto_text struct text all = {0}, nothing = {0};

	state_add_grown(&all, NULL, &after);
	assert_string_equal(all.s, "new 2, rcvd_pkts 7, sent_pkts 6");
	state_add_grown(&nothing, NULL, &none);
	assert_int_equal(nothing.len, 0);
}
