/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/reorder.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "cmd.h"
#include "run/reorder.h"
#include "../help/folder.h"

#define PLACE "\"lane\":\"uml\",\"accelerator\":\"none\",\"kernel\":\"7.3\",\"rdma_core\":\"44.0\",\"target\":\"system\""

static struct folder home;
static char *before;	/* owned; the folder that was the current one */

static int begin(void **state)
{
	(void)state;
	folder_make(&home);
	folder_put(&home, "s/clauses.tsv", "PD-ALLOC\tibv_alloc_pd(3)\tIt makes one.\n");
	folder_put(&home, "s/x.yaml", "scenario: x\nclause: PD-ALLOC\nvary: {num: [1, 2, 3, 4, 5, 6]}\nsteps:\n"
		   "  - a.open_device: {}\n  - a.create_cq: {cqe: $num}\n");
	folder_put(&home, "run.json", "{\"event\":\"summary\"," PLACE ",\"counts\":{},\"total\":5,\"took_ms\":1,"
		   "\"exit\":1,\"scenarios\":["
		   "{\"name\":\"x[num=5]\",\"verdict\":\"PASS\"},{\"name\":\"x[num=1]\",\"verdict\":\"PASS\"},"
		   "{\"name\":\"x[num=2]\",\"verdict\":\"FAIL\"},{\"name\":\"x[num=3]\",\"verdict\":\"XFAIL\"},"
		   "{\"name\":\"x[num=4]\",\"verdict\":\"ERROR\"}]}\n");
	before = getcwd(NULL, 0);
	return chdir(home.path);
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(chdir(before), 0);
	free(steal(&before));
	folder_remove(&home);
	return 0;
}

static void choose(struct selection *sel)
{
	static char *path[] = {(char *)(uintptr_t)"s"};
	const struct run_options opts = {.paths = path, .path_count = 1};

	*sel = (struct selection){0};
	assert_int_equal(selection_make(sel, &opts), EXIT_OK);
	assert_int_equal(sel->plan.count, 6);
}

static char *names_of(const struct selection *sel)
{
	struct text t = {0};
	size_t i;

	text_add(&t, "");
	for (i = 0; i < sel->plan.count; i++) {
		assert_int_equal(sel->plan.item[i].number, i);
		assert_non_null(sel->root_of[i]);
		text_addf(&t, "%c", sel->plan.item[i].name[6]);
	}
	return t.s;
}

/* What failed, what could not be carried out, and what was not run; in the order of the plan. */
static void test_reorder__rerun__what_is_not_settled(void **state)
{
	struct selection sel;
	auto_free char *names = NULL;

	(void)state;
	choose(&sel);
	assert_int_equal(reorder_rerun(&sel, "run.json"), EXIT_OK);
	names = names_of(&sel);
	assert_string_equal(names, "246");
	selection_fini(&sel);
}

static void test_reorder__rerun__of_nothing(void **state)
{
	struct selection sel;
	struct overheard o;
	auto_free char *said = NULL;

	(void)state;
	choose(&sel);
	overhear(&o, STDERR_FILENO);
	assert_int_equal(reorder_rerun(&sel, "nonesuch"), EXIT_USAGE);
	said = overheard_text(&o);
	assert_non_null(strstr(said, "nonesuch: No such file"));
	selection_fini(&sel);
}

static void test_reorder__shuffle__by_its_seed(void **state)
{
	struct selection sel;
	auto_free char *one = NULL, *again = NULL, *other = NULL;
	char sorted[7] = "";
	size_t i;

	(void)state;
	choose(&sel);
	reorder_shuffle(&sel, 1);
	one = names_of(&sel);
	selection_fini(&sel);
	choose(&sel);
	reorder_shuffle(&sel, 1);
	again = names_of(&sel);
	selection_fini(&sel);
	choose(&sel);
	reorder_shuffle(&sel, 2);
	other = names_of(&sel);
	selection_fini(&sel);
	assert_string_equal(one, again);
	assert_string_not_equal(one, other);
	for (i = 0; i < 6; i++)
		sorted[one[i] - '1'] = one[i];
	assert_string_equal(sorted, "123456");
}

#define T(name) cmocka_unit_test_setup_teardown(test_reorder__##name, begin, end)

VBM_TESTS(T(rerun__what_is_not_settled), T(rerun__of_nothing), T(shuffle__by_its_seed));
