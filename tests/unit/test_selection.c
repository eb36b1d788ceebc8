/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/selection.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "plan/plan.h"
#include "run/selection.h"
#include "../help/folder.h"

/* Two suites: one/scenarios has x/two (a variant for each of two numbers) and y, the other z. */
static struct folder home;
static char *before;	/* owned; the folder that was the current one */

#define SCENARIO(title) "scenario: " title "\nclause: PD-ALLOC\n"
#define STEPS "steps:\n  - a.open_device: {}\n"

static int begin(void **state)
{
	(void)state;
	folder_make(&home);
	folder_put(&home, "one/scenarios/clauses.tsv", "PD-ALLOC\tibv_alloc_pd(3)\tIt makes one.\n");
	folder_put(&home, "one/scenarios/x/two.yaml", SCENARIO("two") "vary: {num: [1, 2]}\nsteps:\n"
		   "  - a.open_device: {}\n  - a.create_cq: {cqe: $num}\n");
	folder_put(&home, "one/scenarios/y.yaml", SCENARIO("y") STEPS);
	folder_put(&home, "two/clauses.tsv", "PD-ALLOC\tibv_alloc_pd(3)\tIt makes one.\n");
	folder_put(&home, "two/z.yaml", SCENARIO("z") STEPS);
	folder_put(&home, "two/slow.yaml", SCENARIO("slow") "dns: {zone: {}}\nsteps:\n"
		   "  - a.run: {argv: [\"true\"]}\n  - a.wait_program: {}\n    expect: nothing\n"
		   "    within: 77000\n");
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

/* The exit status, the names that were selected, and the messages. */
static int select_of(const struct run_options *opts, struct text *names, char **said)
{
	struct selection sel = {0};
	struct overheard o;
	int status;
	size_t i;

	overhear(&o, STDERR_FILENO);
	status = selection_make(&sel, opts);
	*said = overheard_text(&o);
	for (i = 0; i < sel.plan.count; i++) {
		assert_int_equal(sel.plan.item[i].number, i);
		text_addf(names, "%s ", sel.plan.item[i].name);
	}
	selection_fini(&sel);
	return status;
}

#define LIST(...) ((char **)(uintptr_t)(const char *const[]){__VA_ARGS__})
#define LENGTH(...) (sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define WORDS(...) .paths = LIST(__VA_ARGS__), .path_count = LENGTH(__VA_ARGS__)
#define FILTERS(...) .filters = LIST(__VA_ARGS__), .filter_count = LENGTH(__VA_ARGS__)

static void selects(const struct run_options *opts, const char *wanted)
{
	auto_text struct text names = {0};
	auto_free char *said = NULL;

	if (select_of(opts, &names, &said) != EXIT_OK)
		fail_msg("%s", said);
	assert_string_equal(names.s, wanted);
}

static void is_refused(const struct run_options *opts, const char *why)
{
	auto_text struct text names = {0};
	auto_free char *said = NULL;

	assert_int_equal(select_of(opts, &names, &said), EXIT_USAGE);
	if (!strstr(said, why))
		fail_msg("'%s' is not in '%s'", why, said);
}

TEST(test_selection__folder__has_all_variants)
{
	selects(&(struct run_options){WORDS("one/scenarios")}, "x/two[num=1] x/two[num=2] y ");
	selects(&(struct run_options){WORDS("one/scenarios/y.yaml", "two/z.yaml")}, "y z ");
}

TEST(test_selection__filter__of_ids_and_names)
{
	selects(&(struct run_options){WORDS("one/scenarios"), FILTERS("x/*")}, "x/two[num=1] x/two[num=2] ");
	selects(&(struct run_options){WORDS("one/scenarios"), FILTERS("x/two*=2]")}, "x/two[num=2] ");
	selects(&(struct run_options){WORDS("one/scenarios"), FILTERS("y", "x/two*=1]")}, "x/two[num=1] y ");
	/* Each argument must match something, even if another one has matched the same. */
	selects(&(struct run_options){WORDS("one/scenarios"), FILTERS("y", "?")}, "y ");
	is_refused(&(struct run_options){WORDS("one/scenarios"), FILTERS("y", "nope")},
		   "no scenario matches the filter 'nope'");
}

/* An argument that is a variant's name selects only that variant. */
TEST(test_selection__variant__by_its_name)
{
	selects(&(struct run_options){WORDS("one/scenarios/y.yaml", "x/two[num=2]")}, "x/two[num=2] y ");
}

TEST(test_selection__bad__is_refused)
{
	folder_put(&home, "two/bad.yaml", SCENARIO("bad") "steps:\n  - a.no_such_step: {}\n");
	is_refused(&(struct run_options){WORDS("two/z.yaml", "two/bad.yaml")}, "two/bad.yaml:4:");
	is_refused(&(struct run_options){WORDS("two/none.yaml")}, "none.yaml");
}

/* Two suites may use the same name; a report could not tell them apart. */
TEST(test_selection__same_name__is_refused)
{
	folder_put(&home, "two/y.yaml", SCENARIO("y") STEPS);
	is_refused(&(struct run_options){WORDS("one/scenarios/y.yaml", "two/y.yaml")}, "y");
}

static void put_plan(const char *name, const char *path)
{
	struct run_options opts = {WORDS(path)};
	auto_value struct value *v = NULL;
	auto_free char *text = NULL;
	struct selection sel = {0};

	assert_int_equal(selection_make(&sel, &opts), EXIT_OK);
	v = plan_to_value(&sel.plan);
	text = json_write(v);
	folder_put(&home, name, text);
	selection_fini(&sel);
}

/* A plan is taken as it is, before the files beside it. */
TEST(test_selection__plan__is_as_good_as_its_file)
{
	put_plan("plan.json", "one/scenarios/x/two.yaml");
	selects(&(struct run_options){WORDS("plan.json")}, "x/two[num=1] x/two[num=2] ");
	selects(&(struct run_options){WORDS("two/z.yaml", "plan.json"), FILTERS("z", "*2]")}, "x/two[num=2] z ");
	is_refused(&(struct run_options){WORDS("plan.json", "one/scenarios")},
		   "two scenarios are called 'x/two[num=1]'");
	folder_put(&home, "bad.json", "{}");
	is_refused(&(struct run_options){WORDS("bad.json")}, "bad.json: ");
	is_refused(&(struct run_options){WORDS("none.json")}, "none.json: ");
}

/* The suite of each variant; a plan has no suite. */
TEST(test_selection__roots__are_there_once)
{
	struct run_options opts = {WORDS("one/scenarios", "two/z.yaml", "plan.json"), FILTERS("*")};
	struct selection sel = {0};
	auto_free char *two = NULL;

	put_plan("plan.json", "two/slow.yaml");
	assert_int_equal(selection_make(&sel, &opts), EXIT_OK);
	assert_int_equal(sel.plan.count, 5);
	assert_int_equal(sel.root_count, 2);
	assert_string_equal(sel.plan.item[0].name, "slow");
	assert_null(sel.root_of[0]);
	two = realpath("two", NULL);
	assert_string_equal(sel.root_of[4], two);
	assert_ptr_equal(sel.root_of[1], sel.root_of[2]);
	assert_ptr_not_equal(sel.root_of[1], sel.root_of[4]);
	selection_fini(&sel);
}

TEST(test_selection__wants__what_one_of_them_wants)
{
	struct run_options plain = {WORDS("one/scenarios")}, all = {WORDS("one/scenarios", "two/slow.yaml")};
	struct selection sel = {0}, more = {0};

	assert_int_equal(selection_make(&sel, &plain), EXIT_OK);
	assert_false(selection_wants_programs(&sel));
	assert_false(selection_wants_dns(&sel));
	selection_fini(&sel);
	assert_int_equal(selection_make(&more, &all), EXIT_OK);
	assert_true(selection_wants_programs(&more));
	assert_true(selection_wants_dns(&more));
	selection_fini(&more);
}
