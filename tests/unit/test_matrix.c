/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: matrix/file.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/xalloc.h"
#include "matrix/matrix.h"

#define TITLE "matrix: t\n"

static int parse(struct matrix *m, struct diagnostics *diag, const char *text)
{
	return matrix_parse(m, text, strlen(text), diag);
}

/* Each file has this one mistake, and the message its line and column. */
TEST(test_matrix__mistakes_have_their_place)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{"[1]\n", "m:1:1: error: a matrix is a map with 'matrix' (its title) and axes"},
		{"kernel: 6.1\n", "m:1:1: error: 'matrix' is missing"},
		{TITLE, "m:1:1: error: a matrix needs an axis, such as 'kernel: [6.1, 7.3]'"},
		{"matrix: [1]\nkernel: 6.1\n", "m:1:9: error: 'matrix' is the title, a text"},
		{TITLE "kernels: [6.1]\nlane: uml\n", "m:2:1: error: unknown key 'kernels' (did you mean 'kernel'?)"},
		{TITLE "kernel: []\n", "m:2:9: error: 'kernel' has no value, so there would be no cell"},
		{TITLE "kernel: [6.1, {a: 1}]\n", "m:2:15: error: a value of 'kernel' must be a text or a number, not"},
		{TITLE "kernel: ['']\n", "m:2:10: error: a value of 'kernel' must be a text or a number, not empty"},
		{TITLE "kernel: [6.1, 7.3, 6.1]\n", "m:2:20: error: '6.1' is already in line 2, so its cells would run twice"},
		{TITLE "kernel: running\n", "m:2:9: error: the running kernel is that of lane native"},
		{TITLE "rdma-core: newest\n", "m:2:12: error: an rdma-core is 'system', a version such as 56"},
		{TITLE "layout: netsn\n", "m:2:9: error: no layout is called 'netsn': auto, netns or shared"},
		{TITLE "lane: vm\n", "m:2:7: error: no lane is called 'vm': auto, native, guest or uml"},
		{TITLE "device: [rxe, mlx5]\n", "m:2:15: error: no device is called 'mlx5': rxe"},
		{TITLE "target: mine\n", "m:2:9: error: no target is called 'mine': system, reference"},
		{TITLE "lane: uml\nrun: []\n", "m:3:6: error: 'run' has no entry; leave it out to run every scenario"},
		{TITLE "lane: uml\nrun: [a, 1]\n", "m:3:10: error: an entry of 'run' is a file"},
		{TITLE "lane: uml\nrun: [--jobs]\n", "m:3:7: error: an entry of 'run' is a file"},
		{TITLE "lane: uml\nexclude: 1\n", "m:3:10: error: 'exclude' is a list of maps"},
		{TITLE "lane: uml\nexclude: [1]\n", "m:3:11: error: an exclusion is a map of axes"},
		{TITLE "lane: uml\nexclude:\n  - {lanes: uml}\n", "m:4:6: error: no axis is called 'lanes' (did you mean 'lane'?)"},
		{TITLE "lane: uml\nexclude:\n  - {lane: guest}\n", "m:4:12: error: the axis 'lane' has no value 'guest'"},
		{TITLE "lane: uml\nexclude:\n  - {lane: []}\n", "m:4:5: error: this exclusion leaves out no cell"},
		{TITLE "kernel: [1, 2]\nexclude:\n  - {kernel: 1}\n  - {kernel: 1}\n", "m:5:5: error: this exclusion leaves out no cell"},
		{TITLE "lane: uml\nexclude:\n  - {lane: uml}\n", "m:4:5: error: the exclusions leave no cell"},
		{"matrix: &a t\n", "m:1:9: error: "},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct diagnostics diag = {0};
		struct matrix m = {0};
		auto_free char *said = NULL;

		assert_int_equal(parse(&m, &diag, rows[i].text), -EINVAL);
		said = diagnostics_format(&diag, "m");
		if (strncmp(said, rows[i].said, strlen(rows[i].said)) != 0)
			fail_msg("of '%s' it says '%s', not '%s'", rows[i].text, said, rows[i].said);
		matrix_fini(&m);
		diagnostics_fini(&diag);
	}
}

TEST(test_matrix__cells_are_the_combinations)
{
	static const char *const names[] = {
		"kernel=6.1,rdma-core=44,layout=shared", "kernel=6.1,rdma-core=56.1,layout=shared",
		"kernel=7.3,rdma-core=44,layout=netns", "kernel=7.3,rdma-core=44,layout=shared",
		"kernel=7.3,rdma-core=56.1,layout=netns", "kernel=7.3,rdma-core=56.1,layout=shared",
	};
	struct diagnostics diag = {0};
	struct matrix m = {0};
	size_t i;

	assert_int_equal(parse(&m, &diag, "matrix: versions\nrdma-core: [44, 56.1]\nkernel: [6.1, 7.3]\n"
			       "layout: [netns, shared]\nrun: data\nexclude: [{kernel: 6.1, layout: [netns]}]\n"), 0);
	assert_string_equal(m.title, "versions");
	assert_int_equal(m.cells, ARRAY_SIZE(names));
	for (i = 0; i < m.cells; i++)
		assert_string_equal(m.cell[i].name, names[i]);
	assert_string_equal(matrix_value(&m, &m.cell[0], AXIS_LANE), "auto");
	assert_string_equal(matrix_value(&m, &m.cell[0], AXIS_TARGET), "system");
	assert_int_equal(m.run_count, 1);
	matrix_fini(&m);
	diagnostics_fini(&diag);
}

TEST(test_matrix__too_many_cells)
{
	struct diagnostics diag = {0};
	struct matrix m = {0};
	char text[8192] = TITLE, one[16];
	auto_free char *said = NULL;
	size_t axis, i;

	for (axis = 0; axis < 2; axis++) {
		strcat(text, axis ? "rdma-core: [" : "kernel: [");
		for (i = 1; i <= 33; i++) {
			snprintf(one, sizeof(one), "%s%zu", i > 1 ? ", " : "", i);
			strcat(text, one);
		}
		strcat(text, "]\n");
	}
	assert_int_equal(parse(&m, &diag, text), -EINVAL);
	said = diagnostics_format(&diag, "m");
	assert_string_equal(said, "m:1:1: error: a matrix has at most 1024 cells\n");
	assert_int_equal(m.cells, 0);
	matrix_fini(&m);
	diagnostics_fini(&diag);
}
