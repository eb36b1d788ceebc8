/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/findings.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "names/device-words.h"
#include "run/findings.h"
#include "whole-event.h"

/* The verdict of one variant after the findings, if it passed, or if a step of it failed. */
static char *judged(struct findings_filter *k, bool passed)
{
	static const char *const kinds[] = {"scenario", "fail", "verdict"};
	char *verdict = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		auto_value struct value *e = value_map();

		if (i == 1 && passed)
			continue;
		value_set_string(e, "event", kinds[i]);
		value_set_string(e, "name", "x/one");
		value_set_string(e, "field", "return");
		value_set_string(e, "verdict", passed ? "PASS" : "FAIL");
		make_whole(e);
		findings_filter_event(k, e);
		if (i == 2)
			verdict = xstrdup(value_get_string(e, "verdict", "?"));
	}
	return verdict;
}

/* A failure may be that of any type of devices that the variant's hosts have; only what all show is missed. */
TEST(test_known_devices__of_two_types__count_as_machines_do)
{
	static const char text[] = "findings:\n  - {finding: one, layer: rdma_rxe, what: w, measured: m, "
				   "shown_by: [{scenario: x/one, field: return}]}\n";
	static const struct {
		const char *run;
		char own[16];
		int hosts;
		const char *passes, *fails;
	} rows[] = {
		{"rxe", "", 2, "XPASS", "XFAIL"},	 {"siw", "", 2, "PASS", "FAIL"},
		{"a=rxe,b=siw", "", 2, "PASS", "XFAIL"}, {"a=rxe,b=siw", "", 1, "XPASS", "XFAIL"},
		{"a=siw,b=rxe", "", 1, "PASS", "FAIL"},	 {"siw", "a=rxe,b=siw", 2, "PASS", "XFAIL"},
		{"rxe", "siw", 2, "PASS", "FAIL"},	 {"siw", "rxe", 2, "XPASS", "XFAIL"},
		{"siw", "siw+rxe", 1, "PASS", "XFAIL"},
	};
	static char id[] = "x/one", root[] = "/a";
	struct variant v = {.id = id, .name = id};
	const char *root_of = root;
	struct selection selection = {.plan = {.item = &v, .count = 1}, .root_of = &root_of};
	struct suite_findings *suite = xcalloc(1, sizeof(*suite));
	struct device_words devices;
	struct findings_filter k = {.selection = &selection, .suite = suite, .suite_count = 1, .devices = &devices};
	struct diagnostics diag = {0};
	size_t i;

	suite->root = xstrdup(root);
	assert_int_equal(findings_parse(&suite->list, "m.yaml", text, strlen(text), &diag), 0);
	k.facts = (struct facts){.target = "system", .kernel = "7.3"};
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_free char *passes = NULL, *fails = NULL;
		struct device_words own;

		assert_int_equal(device_words_read(&devices, rows[i].run, NULL), 0);
		v.hosts = rows[i].hosts;
		assert_int_equal(device_words_read(&own, *rows[i].own ? rows[i].own : "rxe", NULL), 0);
		v.devices = *rows[i].own ? &own : NULL;
		passes = judged(&k, true);
		fails = judged(&k, false);
		if (strcmp(passes, rows[i].passes) != 0 || strcmp(fails, rows[i].fails) != 0)
			fail_msg("%s, %s, %d hosts: %s, %s", rows[i].run, rows[i].own, rows[i].hosts, passes, fails);
	}
	findings_filter_fini(&k);
}
