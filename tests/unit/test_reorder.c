/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/reorder.c run/repeat.c */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "event/event.h"
#include "run/reorder.h"
#include "run/repeat.h"
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

UNIT(.each = {begin, end});

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

/* Variants that failed, could not be carried out, or were not run; in the order of the plan. */
TEST(test_reorder__rerun__what_is_not_settled)
{
	struct selection sel;
	auto_free char *names = NULL;

	choose(&sel);
	assert_int_equal(reorder_rerun(&sel, "run.json"), EXIT_OK);
	names = names_of(&sel);
	assert_string_equal(names, "246");
	selection_fini(&sel);
}

TEST(test_reorder__rerun__of_nothing)
{
	struct selection sel;
	struct overheard o;
	auto_free char *said = NULL;

	choose(&sel);
	overhear(&o, STDERR_FILENO);
	assert_int_equal(reorder_rerun(&sel, "nonesuch"), EXIT_USAGE);
	said = overheard_text(&o);
	assert_non_null(strstr(said, "nonesuch: No such file"));
	selection_fini(&sel);
}

TEST(test_reorder__shuffle__by_its_seed)
{
	struct selection sel;
	auto_free char *one = NULL, *again = NULL, *other = NULL;
	char sorted[7] = "";
	size_t i;

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

/* Whole rounds, and each name once. */
TEST(test_reorder__repeat__rounds)
{
	struct selection sel;
	size_t i;

	choose(&sel);
	repeat_add(&sel, 1);
	assert_int_equal(sel.plan.count, 6);
	repeat_add(&sel, 3);
	assert_int_equal(sel.plan.count, 18);
	for (i = 0; i < 18; i++) {
		auto_free char *plain = repeat_plain(sel.plan.item[i].name);
		auto_free char *name = repeat_name(plain, (int)i / 6 + 1);

		assert_string_equal(plain, sel.plan.item[i % 6].name);
		assert_string_equal(sel.plan.item[i].name, name);
		assert_string_equal(sel.plan.item[i].id, "x");
		assert_int_equal(sel.plan.item[i].number, i);
		assert_int_equal(sel.plan.item[i].item_count, sel.plan.item[i % 6].item_count);
		assert_ptr_equal(sel.root_of[i], sel.root_of[i % 6]);
	}
	assert_string_equal(sel.plan.item[17].name, "x[num=6]#3");
	selection_fini(&sel);
}

TEST(test_reorder__repeat__plain_names)
{
	static const char *const row[][2] = {
		{"a/b", "a/b"}, {"a/b#2", "a/b"}, {"a/b[x=#3]", "a/b[x=#3]"}, {"a/b[x=#3]#14", "a/b[x=#3]"},
		{"a/b#", "a/b#"}, {"a/b#2x", "a/b#2x"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_free char *plain = repeat_plain(row[i][0]);

		assert_string_equal(plain, row[i][1]);
	}
}

/* Only what differs is told, whatever the order. */
TEST(test_reorder__repeat__tells_what_differs)
{
	enum verdict verdict[18];
	auto_free char *text = NULL;
	struct selection sel;
	size_t i, len = 0;
	FILE *f = open_memstream(&text, &len);

	choose(&sel);
	repeat_add(&sel, 3);
	reorder_shuffle(&sel, 7);
	for (i = 0; i < 18; i++) {
		const char *name = sel.plan.item[i].name;

		verdict[i] = VERDICT_PASS;
		if (!strcmp(name, "x[num=2]#3"))
			verdict[i] = VERDICT_FAIL;
		if (!strncmp(name, "x[num=3]", 8))
			verdict[i] = VERDICT_FAIL;
		if (!strcmp(name, "x[num=4]") || !strcmp(name, "x[num=4]#2"))
			verdict[i] = VERDICT_XFAIL;
		/* One that did not run, as after --fail-fast. */
		if (!strcmp(name, "x[num=5]#2"))
			verdict[i] = VERDICT_COUNT;
	}
	repeat_tell(&sel, verdict, 3, f);
	fclose(f);
	assert_non_null(strstr(text, "verbatim: x[num=2]: PASS 2 times, FAIL 1 time (#3)\n"));
	assert_non_null(strstr(text, "verbatim: x[num=4]: PASS 1 time (#3), XFAIL 2 times\n"));
	for (i = 0, len = 0; text[len]; len++)
		i += text[len] == '\n';
	assert_int_equal(i, 2);
	selection_fini(&sel);
}

/* A variant is run again if any of its repetitions was not as expected. */
TEST(test_reorder__rerun__of_repetitions)
{
	struct selection sel;
	auto_free char *names = NULL;

	folder_put(&home, "again.json", "{\"event\":\"summary\"," PLACE ",\"counts\":{},\"total\":5,\"took_ms\":1,"
		   "\"exit\":1,\"scenarios\":["
		   "{\"name\":\"x[num=1]\",\"verdict\":\"PASS\"},{\"name\":\"x[num=1]#2\",\"verdict\":\"PASS\"},"
		   "{\"name\":\"x[num=2]\",\"verdict\":\"PASS\"},{\"name\":\"x[num=2]#2\",\"verdict\":\"FAIL\"},"
		   "{\"name\":\"x[num=3]\",\"verdict\":\"FAIL\"},{\"name\":\"x[num=3]#2\",\"verdict\":\"PASS\"},"
		   "{\"name\":\"x[num=6]\",\"verdict\":\"PASS\"}]}\n");
	choose(&sel);
	assert_int_equal(reorder_rerun(&sel, "again.json"), EXIT_OK);
	names = names_of(&sel);
	assert_string_equal(names, "2345");
	selection_fini(&sel);
}

static void must_begin(const struct selection *sel, const char *rerun, const char *history, int jobs,
		       const char *wanted)
{
	auto_free size_t *turn = reorder_by_time(sel, rerun, history, jobs);
	char got[20] = "";
	size_t i;

	for (i = 0; turn && i < sel->plan.count; i++)
		got[i] = (char)('1' + turn[i]);
	assert_string_equal(got, wanted);
}

/* The long ones first; those that are short, and those that nobody timed, in the order of the plan. */
TEST(test_reorder__schedule__long_ones_first)
{
	struct selection sel;

	folder_put(&home, "times", "{\"event\":\"summary\"," PLACE ",\"counts\":{},\"total\":4,\"took_ms\":1,"
		   "\"exit\":0,\"scenarios\":["
		   "{\"name\":\"x[num=2]\",\"verdict\":\"PASS\",\"took_ms\":20},"
		   "{\"name\":\"x[num=3]\",\"verdict\":\"PASS\",\"took_ms\":500},"
		   "{\"name\":\"x[num=5]\",\"verdict\":\"PASS\",\"took_ms\":900},"
		   "{\"name\":\"x[num=6]\",\"verdict\":\"PASS\",\"took_ms\":500}]}\n");
	choose(&sel);
	must_begin(&sel, NULL, "times", 2, "536124");
	must_begin(&sel, "times", NULL, 2, "536124");
	must_begin(&sel, NULL, "times", 1, "");
	must_begin(&sel, NULL, "nonesuch", 2, "");
	must_begin(&sel, NULL, NULL, 2, "");
	must_begin(&sel, "run.json", NULL, 2, "");
	selection_fini(&sel);
}
