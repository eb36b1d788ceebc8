/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "catalogue/deviation.h"

static const char good[] =
	"deviations:\n"
	"  - scenario: 'resolve/flags[bit=*]'\n"
	"    clause: GAI-RET-BADFLAGS\n"
	"    what: unknown bits are ignored\n"
	"    when: [target=system, rdma_core>=44]\n"
	"    field: return\n"
	"    got: OK (0)\n"
	"    seen: rdma-core 44\n";

static int parse(struct deviations *d, const char *text, char **lines)
{
	struct diagnostics diag = {0};
	int rc = deviations_parse(d, "f.yaml", text, strlen(text), &diag);

	*lines = diagnostics_format(&diag, "f.yaml");
	diagnostics_fini(&diag);
	return rc;
}

static void test_deviation__entry__applies_by_name_and_place(void **state)
{
	struct facts here = {.target = "system", .rdma_core = "44.0"};
	struct facts old = {.target = "system", .rdma_core = "43.0"};
	struct facts other = {.target = "reference", .rdma_core = "44.0"};
	auto_free char *lines = NULL;
	struct deviations d = {0};

	(void)state;
	assert_int_equal(parse(&d, good, &lines), 0);
	assert_int_equal(d.count, 1);
	assert_true(deviation_applies(&d.item[0], "resolve/flags[bit=0x10]", &here));
	assert_false(deviation_applies(&d.item[0], "resolve/flags", &here));
	assert_false(deviation_applies(&d.item[0], "resolve/flagsb", &here));
	assert_false(deviation_applies(&d.item[0], "resolve/flags[bit=0x10]", &old));
	assert_false(deviation_applies(&d.item[0], "resolve/flags[bit=0x10]", &other));
	deviations_fini(&d);
}

static void test_deviation__explains__only_the_failure_it_knows(void **state)
{
	auto_free char *lines = NULL;
	struct deviations d = {0};

	(void)state;
	parse(&d, good, &lines);
	assert_true(deviation_explains(&d.item[0], "return", "OK (0)"));
	assert_false(deviation_explains(&d.item[0], "return", "EAI_FAIL (-4)"));
	assert_false(deviation_explains(&d.item[0], "errno", "OK (0)"));
	deviations_fini(&d);
}

static void test_deviation__bad_files__are_refused_with_positions(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"other: 1\n", "f.yaml:1:1: error: a file of deviations has one key"},
		{"deviations:\n  - scenaro: x\n", "f.yaml:2:5: error: a deviation has no key 'scenaro'"},
		{"deviations:\n  - scenaro: x\n", "did you mean 'scenario'?"},
		{"deviations:\n  - scenario: x\n", "a deviation needs 'what:'"},
		{"deviations:\n  - scenario: [x]\n", "f.yaml:2:15: error: scenario: is not a text"},
		{"deviations:\n  - when: [colour=red]\n", "f.yaml:2:12: error: no capability"},
		{"deviations:\n  - 7\n", "f.yaml:2:5: error: a deviation is a map"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		auto_free char *lines = NULL;
		struct deviations d = {0};

		assert_int_equal(parse(&d, bad[i].text, &lines), -EINVAL);
		if (!strstr(lines, bad[i].message))
			fail_msg("row %zu: %s", i, lines);
		deviations_fini(&d);
	}
}

VBM_TESTS(cmocka_unit_test(test_deviation__entry__applies_by_name_and_place),
	  cmocka_unit_test(test_deviation__explains__only_the_failure_it_knows),
	  cmocka_unit_test(test_deviation__bad_files__are_refused_with_positions));
