/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/reorder.c run/selection.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "run/reorder.h"
#include "../help/folder.h"

#define FILES 12

static struct folder home;

/* The suite DIR: a fragment, and scenarios with two variants each, with @cqe of the queue that they make. */
static void put_suite(const char *dir, int files, int cqe)
{
	auto_free char *clauses = xasprintf("%s/clauses.tsv", dir), *fragment = xasprintf("%s/fragments/f.yaml", dir);
	auto_free char *made = xasprintf("fragment: f\nparameters:\n  num: {required: true, doc: a number}\nsteps:\n"
					 "  - a.create_cq: {cqe: %d, comp_vector: $num}\n", cqe);
	int i;

	folder_put(&home, clauses, "PD-ALLOC\tibv_alloc_pd(3)\tIt makes one.\n");
	folder_put(&home, fragment, made);
	for (i = 0; i < files; i++) {
		auto_free char *file = xasprintf("%s/s%d.yaml", dir, i);

		folder_put(&home, file, "scenario: x\nclause: PD-ALLOC\nvary: {num: [1, 2]}\nsteps:\n"
			   "  - a.open_device: {}\n  - use: {f: {num: $num}}\n");
	}
}

static int begin(void **state)
{
	(void)state;
	folder_make(&home);
	put_suite("s", FILES, 1);
	put_suite("elsewhere/s", FILES, 1);
	put_suite("more", FILES + 1, 1);
	put_suite("other", FILES, 2);
	put_suite("known", FILES, 1);
	folder_put(&home, "known/findings/f.yaml", "- finding: f\n");
	return 0;
}

static int end(void **state)
{
	(void)state;
	folder_remove(&home);
	return 0;
}

UNIT(.each = {begin, end});

/* Describes shard @number of @of of the suite @dir; @names gets the names of its variants. */
static struct value *shard_of(const char *dir, int number, int of, int times, struct text *names)
{
	auto_free char *path = folder_path(&home, dir);
	const struct run_options opts = {.paths = &path, .path_count = 1};
	struct selection sel = {0};
	struct value *described;
	size_t i;

	assert_int_equal(selection_make(&sel, &opts), EXIT_OK);
	described = reorder_divide(&sel, &(struct shard){number, of}, times);
	text_add(names, "");
	for (i = 0; i < sel.plan.count; i++) {
		assert_int_equal(sel.plan.item[i].number, i);
		assert_non_null(sel.root_of[i]);
		text_addf(names, "%s ", sel.plan.item[i].name);
	}
	selection_fini(&sel);
	return described;
}

static int count(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

TEST(test_divide__files_stay_whole)
{
	struct text all auto_text = {0};
	int i, number;

	for (number = 1; number <= 3; number++) {
		auto_value struct value *shard = shard_of("s", number, 3, 1, &all);

		assert_int_equal(value_get_int(shard, "number", 0), number);
		assert_int_equal(value_get_int(shard, "of", 0), 3);
		assert_int_equal(value_get_int(shard, "planned", 0), 2 * FILES);
	}
	for (i = 0; i < FILES; i++) {
		auto_free char *both = xasprintf("s%d[num=1] s%d[num=2] ", i, i);

		assert_int_equal(count(all.s, both), 1);
	}
	assert_int_equal(count(all.s, "["), 2 * FILES);
}

/* A scenario that is new moves no other one to another shard. */
TEST(test_divide__stable)
{
	int number;

	for (number = 1; number <= 3; number++) {
		struct text before auto_text = {0}, after auto_text = {0};
		auto_value struct value *one = shard_of("s", number, 3, 1, &before);
		auto_value struct value *two = shard_of("more", number, 3, 1, &after);
		auto_free char *new = xasprintf("s%d[num=1] s%d[num=2] ", FILES, FILES);
		char *at = strstr(after.s, new);

		if (at)
			memmove(at, at + strlen(new), strlen(at + strlen(new)) + 1);
		assert_string_equal(before.s, after.s);
		assert_string_not_equal(value_get_string(one, "plan", ""), value_get_string(two, "plan", ""));
	}
}

/* The digest is that of the steps and the findings: not of the shard, and not of the folder in which the suite lies. */
TEST(test_divide__digest)
{
	struct text names auto_text = {0};
	auto_value struct value *one = shard_of("s", 1, 3, 1, &names), *two = shard_of("s", 2, 3, 1, &names);
	auto_value struct value *same = shard_of("elsewhere/s", 1, 3, 1, &names);
	auto_value struct value *other = shard_of("other", 1, 3, 1, &names);
	auto_value struct value *known = shard_of("known", 1, 3, 1, &names);
	const char *plan = value_get_string(one, "plan", "");

	assert_int_equal(strlen(plan), 16);
	assert_string_equal(plan, value_get_string(two, "plan", ""));
	assert_string_equal(plan, value_get_string(same, "plan", ""));
	assert_string_not_equal(plan, value_get_string(other, "plan", ""));
	assert_string_not_equal(plan, value_get_string(known, "plan", ""));
}

TEST(test_divide__times)
{
	struct text names auto_text = {0};
	auto_value struct value *often = shard_of("s", 1, 3, 4, &names), *unknown = shard_of("s", 1, 3, 0, &names);

	assert_int_equal(value_get_int(often, "planned", 0), 8 * FILES);
	assert_null(value_get(unknown, "planned"));
}
