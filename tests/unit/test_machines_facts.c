/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/machines-choice.c run/findings.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "run/machines-choice.h"
#include "whole-event.h"

static const char text[] =
	"findings:\n"
	"  - finding: mended\n"
	"    layer: librxe\n"
	"    what: it was wrong\n"
	"    measured: here\n"
	"    when: [rdma_core<64]\n"
	"    fixed_by: {release: 64.0}\n"
	"    shown_by:\n"
	"      - {scenario: x/mended, field: return}\n";

static void hear(struct machines_facts *m, const char *host, const char *rdma_core, const char *driver)
{
	auto_value struct value *e = value_map();

	value_set_string(e, "event", "machine");
	value_set_string(e, "host", host);
	value_set_string(e, "kernel", "7.3.4-uml");
	value_set_string(e, "rdma_core", rdma_core);
	value_set_string(e, "driver", driver);
	make_whole(e);
	machines_facts_take(m, e);
}

/* The rows come one after another, in one run. */
TEST(test_machines_facts__any_machine_may_show_a_finding_and_all_have_to)
{
	static const struct {
		const char *host, *rdma_core, *driver;
		bool may, has_to;
	} rows[] = {
		{"a", "63.0", "rxe", true, true},	{"a", "64.0", "rxe", false, false},
		{"b", "63.0", "rxe", true, false},	{"a", "63.0", "rxe", true, true},
		{"a", "63.1", "rxe", true, false},	{"a", "63.0", "mlx5_core", true, false},
		{"b", "64.0", "rxe", false, false},	{"z", "63.0", "rxe", false, false},
	};
	const struct facts run = {.kernel = "6.1", .rdma_core = "63.0", .target = "system", .device = "rxe"};
	struct machines_facts m = {0};
	struct diagnostics diag = {0};
	struct findings list = {0};
	size_t i;

	assert_int_equal(findings_parse(&list, "m.yaml", text, strlen(text), &diag), 0);
	assert_true(facts_ask(&m, &run, FACTS_ALL_APPLY, &list.item[0], "x/mended", NULL));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		hear(&m, rows[i].host, rows[i].rdma_core, rows[i].driver);
		if (facts_ask(&m, &run, FACTS_APPLY, &list.item[0], "x/mended", NULL) != rows[i].may ||
		    facts_ask(&m, &run, FACTS_HOLD, &list.item[0], NULL, NULL) != rows[i].may ||
		    facts_ask(&m, &run, FACTS_ALL_APPLY, &list.item[0], "x/mended", NULL) != rows[i].has_to)
			fail_msg("row %zu", i);
	}
	machines_facts_fini(&m);
	findings_fini(&list);
}
