/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: catalogue/finding.c catalogue/finding-upstream.c catalogue/finding-value.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"

static const char good[] =
	"findings:\n"
	"  - finding: flags-ignored\n"
	"    severity: wrong-code\n"
	"    clause: GAI-RET-BADFLAGS\n"
	"    what: unknown bits are ignored\n"
	"    when: [target=system, rdma_core>=44]\n"
	"    measured: rdma-core 44\n"
	"    shown_by:\n"
	"      - scenario: 'resolve/flags[bit=*]'\n"
	"        field: return\n"
	"        got: OK (0)\n"
	"      - scenario: resolve/later\n"
	"        step: a.getaddrinfo\n"
	"        field: errno\n";

static int parse(struct findings *d, const char *text, char **lines)
{
	struct diagnostics diag = {0};
	int rc = findings_parse(d, "f.yaml", text, strlen(text), &diag);

	*lines = diagnostics_format(&diag, "f.yaml");
	diagnostics_fini(&diag);
	return rc;
}

TEST(test_finding__entry__applies_by_name_and_place)
{
	struct facts here = {.target = "system", .rdma_core = "44.0"};
	struct facts old = {.target = "system", .rdma_core = "43.0"};
	struct facts other = {.target = "reference", .rdma_core = "44.0"};
	auto_free char *lines = NULL;
	struct findings d = {0};

	assert_int_equal(parse(&d, good, &lines), 0);
	assert_int_equal(d.count, 1);
	assert_true(finding_applies(&d.item[0], "resolve/flags[bit=0x10]", &here));
	assert_false(finding_applies(&d.item[0], "resolve/flags", &here));
	assert_false(finding_applies(&d.item[0], "resolve/flagsb", &here));
	assert_false(finding_applies(&d.item[0], "resolve/flags[bit=0x10]", &old));
	assert_false(finding_applies(&d.item[0], "resolve/flags[bit=0x10]", &other));
	findings_fini(&d);
}

TEST(test_finding__device__of_layer_and_condition)
{
	static const struct {
		const char *layer, *when;
		bool rxe, siw;
	} cases[] = {
		{"rdma_rxe", "kernel>=1", true, false},	 {"librxe", "kernel>=1", true, false},
		{"siw", "kernel>=1", false, true},	 {"libsiw", "kernel>=1", false, true},
		{"rdma_cm", "kernel>=1", true, true},	 {"rdma_cm", "device=siw", false, true},
		{"rdma_cm", "device!=siw", true, false}, {"rdma_rxe", "device=siw", false, false},
	};
	struct facts facts = {.kernel = "7.3.4"};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct finding d = {.layer = (char *)(uintptr_t)cases[i].layer, .when_count = 1};

		assert_int_equal(require_parse(&d.when[0], cases[i].when, NULL), 0);
		assert_int_equal(finding_is_of_device(&d, "rxe"), cases[i].rxe);
		assert_int_equal(finding_is_of_device(&d, "siw"), cases[i].siw);
		facts.device = "siw";
		assert_int_equal(finding_holds(&d, &facts), cases[i].siw);
	}
}

TEST(test_finding__explains__only_the_failure_it_knows)
{
	static const struct {
		struct finding_seen seen;
		bool explained;
	} cases[] = {
		{{"resolve/flags[bit=1]", "a.getaddrinfo", "return", "OK (0)"}, true},
		{{"resolve/flags[bit=1]", "b.getaddrinfo", "return", "OK (0)"}, true},
		{{"resolve/flags[bit=1]", "a.getaddrinfo", "return", "EAI_FAIL (-4)"}, false},
		{{"resolve/flags[bit=1]", "a.getaddrinfo", "errno", "OK (0)"}, false},
		{{"resolve/later", "a.getaddrinfo", "errno", "0"}, true},
		{{"resolve/later", "b.getaddrinfo", "errno", "0"}, false},
		{{"resolve/later", "a.getaddrinfo", "return", "OK (0)"}, false},
	};
	auto_free char *lines = NULL;
	struct findings d = {0};
	size_t i;

	parse(&d, good, &lines);
	assert_int_equal(d.item[0].kind, FINDING_DEVIATION);
	assert_int_equal(d.item[0].severity, FINDING_WRONG_CODE);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(finding_explains(&d.item[0], &cases[i].seen), cases[i].explained);
	findings_fini(&d);
}

TEST(test_finding__bad_files__are_refused_with_positions)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"other: 1\n", "f.yaml:1:1: error: a file of findings must have the key"},
		{"findings:\n  - waht: x\n", "f.yaml:2:5: error: a finding has no key 'waht' here"},
		{"findings:\n  - waht: x\n", "did you mean 'what'?"},
		{"findings:\n  - finding: x\n", "a finding needs 'what:'"},
		{"findings:\n  - finding: [x]\n", "f.yaml:2:14: error: finding: must be a text"},
		{"findings:\n  - when: [colour=red]\n", "f.yaml:2:12: error: there is no capability"},
		{"findings:\n  - 7\n", "f.yaml:2:5: error: a finding must be a map"},
		{"findings:\n  - shown_by:\n    - scenario: x\n",
		 "f.yaml:3:7: error: an item of shown_by: needs 'field:' or 'complaint:'"},
		{"findings:\n  - shown_by:\n    - {scenario: x, complaint: y, field: z}\n",
		 "f.yaml:3:7: error: an item of shown_by: with 'complaint:' may have only 'scenario:' beside "
		 "it"},
		{"findings:\n  - shown_by:\n    - {scenario: x, complaint: y, round: z}\n",
		 "may have only 'scenario:' beside it"},
		{"findings:\n  - shown_by:\n    - {scenario: x, complaint: y, sometimes: true}\n",
		 "may have only 'scenario:' beside it"},
		{"findings:\n  - shown_by:\n    - {scenario: x, field: y, sometimes: often}\n",
		 "f.yaml:3:42: error: sometimes: must be true or false"},
		{"newest: {kernel: new}\n", "f.yaml:1:18: error: kernel: must be a version such as"},
		{"newest: {kernal: 7}\n", "newest: has no key 'kernal' (did you mean 'kernel'?)"},
		{"findings:\n  - link: {x: y}\n",
		 "f.yaml:2:11: error: link: must be a text or a list of texts"},
		{"findings:\n  - fixed_by: 64\n",
		 "f.yaml:2:15: error: fixed_by: must be a map with 'commit:' or 'release:'"},
		{"findings:\n  - fixed_by: {commit: main}\n",
		 "f.yaml:2:24: error: commit: must be the id of a commit"},
		{"findings:\n  - fixed_by: {release: next}\n",
		 "f.yaml:2:25: error: release: must be a version such as 6.12.117"},
		{"findings:\n  - {layer: rdma_rxe, fixed_by: {release: 6.12}}\n",
		 "Linux 6.12 has the fix, but when: does not exclude it: add a bound such as "
		 "'kernel<6.12'"},
		{"findings:\n  - {layer: librxe, when: [kernel<6.4], fixed_by: {release: 64}}\n",
		 "rdma-core 64 has the fix"},
		{"findings:\n  - {layer: mine, fixed_by: {release: 64}}\n",
		 "fixed_by: needs a 'layer:' whose project is known"},
		{"findings:\n  - shown_by:\n    - {scenario: x, field: y, sometime: true}\n",
		 "did you mean 'sometimes'?"},
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		auto_free char *lines = NULL;
		struct findings d = {0};

		assert_int_equal(parse(&d, bad[i].text, &lines), -EINVAL);
		if (!strstr(lines, bad[i].message))
			fail_msg("row %zu: %s", i, lines);
		findings_fini(&d);
	}
}

static const char bounded[] =
	"newest: {kernel: 7.3.4, rdma_core: 65}\n"
	"findings:\n"
	"  - {finding: both, kind: bug, layer: rdma_rxe, what: x, measured: y,\n"
	"     when: ['rdma_core<64', 'kernel<6.4'], cause: 'f(), x.c:1', reported: nobody,\n"
	"     link: [one, two], fixed_by: {commit: 0123abc, release: 6.4},\n"
	"     shown_by: [{scenario: x, field: return}]}\n"
	"  - {finding: lives, layer: librxe, what: x, measured: y, when: ['kernel>=6.4'],\n"
	"     shown_by: [{scenario: x, field: return}]}\n";

TEST(test_finding__upper_bounds__end_where_they_say)
{
	static const struct {
		struct facts facts;
		bool applies;
	} cases[] = {
		{{.kernel = "6.1.0-50-amd64", .rdma_core = "44.0"}, true},
		{{.kernel = "6.3.9", .rdma_core = "63.2"}, true},
		{{.kernel = "6.4.0-rc1-uml-linux", .rdma_core = "63.2"}, false},
		{{.kernel = "6.10.1", .rdma_core = "63.2"}, false},
		{{.kernel = "6.3.9", .rdma_core = "64.0"}, false},
		{{.kernel = "6.3.9", .rdma_core = "100"}, false},
		{{.kernel = "6.3.9"}, false},
	};
	auto_free char *lines = NULL;
	struct findings d = {0};
	size_t i;

	assert_int_equal(parse(&d, bounded, &lines), 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (finding_applies(&d.item[0], "x", &cases[i].facts) != cases[i].applies)
			fail_msg("row %zu", i);
	assert_true(finding_is_history(&d.item[0], &d.newest));
	assert_false(finding_is_history(&d.item[1], &d.newest));
	findings_fini(&d);
}

TEST(test_finding__what_a_maintainer_needs__is_kept)
{
	auto_free char *lines = NULL, *fix = NULL;
	auto_value struct value *m = NULL;
	struct findings d = {0};

	assert_int_equal(parse(&d, bounded, &lines), 0);
	m = finding_to_value(&d.item[0]);
	fix = finding_fix_show(m);
	assert_string_equal(fix, "Linux 6.4, commit 0123abc");
	assert_string_equal(value_get_string(m, "kind", ""), "bug");
	assert_string_equal(value_get_string(m, "cause", ""), "f(), x.c:1");
	assert_string_equal(value_get_string(m, "reported", ""), "nobody");
	assert_int_equal(value_get(m, "link")->list.count, 2);
	assert_true(finding_is_of_stack(&d.item[0]));
	assert_string_equal(finding_project(&d.item[1]), "rdma-core");
	findings_fini(&d);
}

/* The shipped findings have all texts, because reports and docs/findings.md need them. */
TEST(test_finding__those_that_ship__are_complete)
{
	auto_free char *dir = xasprintf("%s/scenarios/findings", getenv("VBM_SRCDIR"));
	struct vbm_error err = {0};
	struct findings d = {0};
	size_t i;

	assert_int_equal(findings_load(&d, dir, &err), 0);
	assert_true(d.count > 50);
	for (i = 0; i < d.count; i++)
		if (d.item[i].kind == FINDING_BUG && (!d.item[i].cause || !d.item[i].reported))
			fail_msg("%s:%d: '%s' is a bug and lacks cause or reported",
				 d.item[i].file, d.item[i].pos.line, d.item[i].name);
	for (i = 0; i < d.count; i++)
		if (!d.item[i].kind_name || !d.item[i].severity_name || !d.item[i].layer ||
		    !d.item[i].expected || !d.item[i].got)
			fail_msg("%s:%d: '%s' lacks kind, severity, layer, expected or got",
				 d.item[i].file, d.item[i].pos.line, d.item[i].name);
	findings_fini(&d);
}
