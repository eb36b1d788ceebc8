/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: names/cable-fault.c */
#include "cmocka_all.h"

#include <errno.h>

#include "base/xalloc.h"
#include "names/cable-fault.h"

TEST(test_faults__values__are_read_and_shown)
{
	static const struct {
		enum cable_fault fault;
		const char *text;
		int64_t value;
		const char *shown;
	} rows[] = {
		{CABLE_LOSS, "3%", 30000, "loss 3%"}, {CABLE_LOSS, "0.5%", 5000, "loss 0.5%"},
		{CABLE_LOSS, "0.001%", 10, "loss 0.001%"}, {CABLE_LOSS, "100%", 1000000, "loss 100%"},
		{CABLE_DELAY, "2ms", 2000, "delay 2ms"}, {CABLE_DELAY, "1.5ms", 1500, "delay 1500us"},
		{CABLE_DELAY, "60s", 60000000, "delay 60s"}, {CABLE_DELAY, "1us", 1, "delay 1us"},
		{CABLE_RATE, "1gbit", 1000000000, "rate 1gbit"}, {CABLE_RATE, "2.5gbit", 2500000000, "rate 2500mbit"},
		{CABLE_RATE, "400gbit", 400000000000, "rate 400gbit"}, {CABLE_RATE, "8001bit", 8001, "rate 8001bit"},
	};
	char text[CABLE_FAULTS_TEXT_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cable_faults faults = {0};

		assert_int_equal(cable_fault_read(rows[i].fault, rows[i].text, &faults.value[rows[i].fault], NULL), 0);
		assert_int_equal(faults.value[rows[i].fault], rows[i].value);
		cable_faults_text(&faults, text);
		assert_string_equal(text, rows[i].shown);
	}
}

TEST(test_faults__none_and_all__have_a_text)
{
	struct cable_faults faults = {0};
	char text[CABLE_FAULTS_TEXT_MAX];

	cable_faults_text(&faults, text);
	assert_string_equal(text, "");
	faults = (struct cable_faults){{999990, 59999999, 399999999999}};
	cable_faults_text(&faults, text);
	assert_string_equal(text, "loss 99.999%, delay 59999999us, rate 399999999999bit");
}

TEST(test_faults__names__go_both_ways)
{
	int i;

	for (i = 0; i < CABLE_FAULTS; i++)
		assert_int_equal(cable_fault_called(cable_fault_name((enum cable_fault)i)), i);
	assert_int_equal(cable_fault_called("jitter"), -1);
}
