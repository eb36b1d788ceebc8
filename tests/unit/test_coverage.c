/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: coverage/ */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "coverage/coverage.h"

#define HEADER "subject\tkind\ttarget\twhere\twhy\n"

static struct survey survey;

static int load(void **state)
{
	struct text problems auto_text = {0};
	struct vbm_error err;

	(void)state;
	return survey_load(&survey, test_data("coverage/scenarios"), NULL, &problems, &err);
}

static int unload(void **state)
{
	(void)state;
	survey_fini(&survey);
	return 0;
}

static const struct cover_row *row_of(const struct coverage *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->clause_count; i++)
		if (!strcmp(c->clause[i].name, name))
			return &c->clause[i];
	for (i = 0; i < c->code_count; i++)
		if (!c->code[i].call && !strcmp(c->code[i].name, name))
			return &c->code[i];
	fail_msg("%s is neither a clause nor a code", name);
	return NULL;
}

struct wanted {
	const char *name;
	enum cover cover;
};

static void check_rows(const struct coverage *c, const struct wanted *w)
{
	for (; w->name; w++)
		if (row_of(c, w->name)->cover != w->cover)
			fail_msg("%s is %s, not %s", w->name, cover_name(row_of(c, w->name)->cover),
				 cover_name(w->cover));
}

static void check_target(const char *target, const struct stored_run *from, const struct wanted *w)
{
	struct coverage c;

	coverage_make(&c, &survey, &(struct cover_filter){.target = target, .from = from});
	check_rows(&c, w);
	coverage_fini(&c);
}

TEST(test_notes__bad_lines__are_named)
{
	static const struct {
		const char *text, *msg;
	} row[] = {
		{"subject\tkind\n", "coverage.tsv:1: not the header: subject, kind, target, "
				    "where, why"},
		{HEADER "A\tstatic\tany\tf\n", "coverage.tsv:2: the line does not have 5 cells"},
		{HEADER "A\tstatic\tany\tf\tw\tx\n", "coverage.tsv:2: the line does not have 5 cells"},
		{HEADER "A\tmaybe\tany\tf\tw\n",
		 "coverage.tsv:2: 'maybe' is not a kind: forced, static or unreachable"},
		{HEADER "A\tstatic\tall\tf\tw\n",
		 "coverage.tsv:2: 'all' is not a target: any, system or reference"},
		{HEADER "A\tunreachable\tany\tf\tw\n",
		 "coverage.tsv:2: nothing shows an unreachable subject: 'where' must be '-'"},
		{HEADER "A\tforced\tany\t-\tw\n",
		 "coverage.tsv:2: a test shows a subject that is forced: 'where' must be a file"},
		{HEADER "A\tstatic\tany\tf\t\n", "coverage.tsv:2: 'why' is empty"},
		{HEADER "A\tstatic\tany\tf\tw\n\nA\tforced\tsystem\tf\tw\n",
		 "coverage.tsv:4: line 2 is already about A"},
	};
	struct coverage_notes notes;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(coverage_notes_parse(&notes, xstrdup(row[i].text), &err), -EINVAL);
		coverage_notes_fini(&notes);
		assert_string_equal(err.msg, row[i].msg);
	}
}

TEST(test_notes__one_for_each_target)
{
	struct coverage_notes notes;

	assert_int_equal(coverage_notes_parse(&notes, xstrdup(HEADER "A\tforced\treference\tf\tw\n"
						     "A\tunreachable\tsystem\t-\tw\n"),
				     NULL), 0);
	assert_int_equal(coverage_note_find(&notes, "A", "system")->kind, NOTE_UNREACHABLE);
	assert_int_equal(coverage_note_find(&notes, "A", "reference")->kind, NOTE_FORCED);
	assert_int_equal(coverage_note_find(&notes, "A", NULL)->line, 2);
	assert_null(coverage_note_find(&notes, "A", "/lib/other.so"));
	assert_null(coverage_note_find(&notes, "B", NULL));
	coverage_notes_fini(&notes);
}

TEST_BETWEEN(test_coverage__expectations__in_every_form, load, unload)
{
	check_target(NULL, NULL, (const struct wanted[]){
		{"EAI_NONAME", COVER_SHOWN},	/* by a variable */
		{"EAI_AGAIN", COVER_SHOWN},
		{"EAI_FAIL", COVER_ONE_OF},	/* by any_of */
		{"EAI_FAMILY", COVER_ONE_OF},
		{"EAI_SYSTEM", COVER_SHOWN},	/* by each outcome of either */
		{"EAI_BADFLAGS", COVER_SHOWN},	/* in demo/two */
		{"EAI_MEMORY", COVER_MISSING},	/* only excluded */
		{"EAI_NODATA", COVER_MISSING},
		{"IBV_WC_SUCCESS", COVER_SHOWN},
		{"IBV_WC_REM_OP_ERR", COVER_SHOWN},
		{"IBV_WC_FATAL_ERR", COVER_UNREACHABLE},
		{"IBV_WC_GENERAL_ERR", COVER_MISSING},
		{NULL, COVER_COUNT},
	});
}

static enum cover errno_of_getaddrinfo(const struct coverage *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->code_count; i++)
		if (c->code[i].call && !strcmp(c->code[i].call, "rdma_getaddrinfo") &&
		    !strcmp(c->code[i].name, name))
			return c->code[i].cover;
	return COVER_COUNT;
}

/* demo/one allows EAI_QPTYPE as one of two, demo/two expects it alone. */
TEST_BETWEEN(test_coverage__alternatives, load, unload)
{
	const struct cover_row *type;
	struct coverage c;

	coverage_make(&c, &survey, NULL);
	assert_int_equal(errno_of_getaddrinfo(&c, "EMFILE"), COVER_ONE_OF);
	type = row_of(&c, "EAI_QPTYPE");
	assert_int_equal(type->cover, COVER_SHOWN);
	assert_int_equal(type->scenario_count, 1);
	assert_string_equal(type->scenario[0], "demo/two");
	coverage_fini(&c);
}

/* The evidence of demo/one has EAI_FAIL in the answer of the second item, EAI_FAMILY in the first. */
TEST_BETWEEN(test_coverage__alternatives_of_a_run, load, unload)
{
	struct stored_run from;

	assert_int_equal(stored_load(&from, test_data("coverage/run"), NULL), 0);
	check_target("system", &from, (const struct wanted[]){
		{"EAI_FAIL", COVER_SHOWN}, {"EAI_FAMILY", COVER_ONE_OF}, {NULL, COVER_COUNT},
	});
	stored_fini(&from);
}

/* Coverage by actions and not by expectations: transitions that succeed, and posted requests. */
TEST_BETWEEN(test_coverage__transitions_and_operations, load, unload)
{
	check_target(NULL, NULL, (const struct wanted[]){
		{"RC:RESET-INIT", COVER_SHOWN},
		{"RC:INIT-INIT", COVER_SHOWN},
		{"RC:INIT-ERR", COVER_SHOWN},
		{"RC:INIT-RTR", COVER_MISSING},
		{"UD:RESET-INIT", COVER_MISSING},	/* refused, and another type */
		{"UD:RESET-RESET", COVER_MISSING},
		{"IBV_WR_RDMA_READ", COVER_SHOWN},
		{"IBV_WR_SEND", COVER_MISSING},		/* must not succeed */
		{NULL, COVER_COUNT},
	});
}

TEST_BETWEEN(test_coverage__minus_one__is_not_bad_flags, load, unload)
{
	struct coverage c;

	coverage_make(&c, &survey, NULL);
	assert_int_equal(row_of(&c, "EAI_BADFLAGS")->scenario_count, 1);
	assert_string_equal(row_of(&c, "EAI_BADFLAGS")->scenario[0], "demo/two");
	coverage_fini(&c);
}

TEST_BETWEEN(test_coverage__errno__call_by_call, load, unload)
{
	struct coverage c;
	size_t i, seen = 0;

	coverage_make(&c, &survey, NULL);
	for (i = 0; i < c.code_count; i++) {
		if (!c.code[i].call || strcmp(c.code[i].name, "EINVAL") != 0)
			continue;
		seen++;
		assert_int_equal(c.code[i].cover, strcmp(c.code[i].call, "rdma_getaddrinfo")
							  ? COVER_MISSING : COVER_SHOWN);
	}
	assert_true(seen > 1);
	coverage_fini(&c);
}

TEST_BETWEEN(test_coverage__whichever_target, load, unload)
{
	check_target(NULL, NULL, (const struct wanted[]){
		{"C-ONE", COVER_SHOWN}, {"C-TWO", COVER_SHOWN}, {"C-THREE", COVER_FORCED},
		{"C-FOUR", COVER_STATIC}, {"C-FIVE", COVER_UNREACHABLE},
		{"C-SIX", COVER_MISSING}, {"C-SEVEN", COVER_SHOWN}, {NULL, COVER_COUNT},
	});
}

TEST_BETWEEN(test_coverage__one_target, load, unload)
{
	check_target("system", NULL, (const struct wanted[]){
		{"C-ONE", COVER_SHOWN}, {"C-TWO", COVER_DEVIATES}, {"C-THREE", COVER_MISSING},
		{"C-FOUR", COVER_STATIC}, {"C-SEVEN", COVER_MISSING},
		{"EAI_BADFLAGS", COVER_DEVIATES}, {"EAI_SERVICE", COVER_MISSING},
		{NULL, COVER_COUNT},
	});
	check_target("reference", NULL, (const struct wanted[]){
		{"C-TWO", COVER_SHOWN}, {"C-THREE", COVER_FORCED}, {"C-SEVEN", COVER_SHOWN},
		{"EAI_BADFLAGS", COVER_SHOWN}, {"EAI_SERVICE", COVER_SHOWN}, {NULL, COVER_COUNT},
	});
}

#define SUMMARY                                                               \
	"\"event\": \"summary\", \"counts\": {}, \"total\": 2, \"kernel\": \"6\", \"lane\": \"uml\"," \
	"\"accelerator\": \"none\", \"rdma_core\": \"44.0\", \"target\": \"system\", \"took_ms\": 1," \
	"\"exit\": 0, "

static struct value *summary(const char *one, const char *other)
{
	struct value *v;
	char *text = xasprintf("{" SUMMARY "\"scenarios\": ["
			       "{\"name\": \"demo/one[code=EAI_NONAME,status=IBV_WC_SUCCESS]\","
			       " \"verdict\": \"%s\"},"
			       "{\"name\": \"demo/one[code=EAI_AGAIN,status=IBV_WC_SUCCESS]\","
			       " \"verdict\": \"%s\"}]}", one, other);

	v = json_read(text, strlen(text), NULL);
	free(text);
	return v;
}

static void check_run(const char *one, const char *other, const struct wanted *w)
{
	struct stored_run from;

	assert_int_equal(stored_take(&from, summary(one, other), NULL), 0);
	check_target("system", &from, w);
	stored_fini(&from);
}

TEST_BETWEEN(test_coverage__of_a_run, load, unload)
{
	check_run("PASS", "SKIP", (const struct wanted[]){
		{"C-ONE", COVER_SHOWN}, {"C-TWO", COVER_MISSING}, {"C-FOUR", COVER_STATIC},
		{"EAI_NONAME", COVER_SHOWN}, {"EAI_AGAIN", COVER_MISSING}, {NULL, COVER_COUNT},
	});
	check_run("SKIP", "XFAIL", (const struct wanted[]){
		{"C-ONE", COVER_DIFFERS}, {"EAI_AGAIN", COVER_DIFFERS},
		{"EAI_NONAME", COVER_MISSING}, {NULL, COVER_COUNT},
	});
	check_run("PASS", "FAIL", (const struct wanted[]){
		{"C-ONE", COVER_MISSING}, {"EAI_NONAME", COVER_MISSING}, {NULL, COVER_COUNT},
	});
	check_run("PASS", "XPASS", (const struct wanted[]){
		{"C-ONE", COVER_MISSING}, {NULL, COVER_COUNT},
	});
	check_run("SKIP", "SKIP", (const struct wanted[]){
		{"C-ONE", COVER_MISSING}, {NULL, COVER_COUNT},
	});
}

static int load_rows(void **state)
{
	struct text problems auto_text = {0};
	struct vbm_error err;

	(void)state;
	return survey_load(&survey, test_data("coverage-rows/scenarios"), NULL, &problems, &err);
}

#define ROW(name, verdict) "{\"name\": \"demo/rows[" name "]\", \"verdict\": \"" verdict "\"}"

static void check_rows_of(const char *list, const struct wanted *w)
{
	char *text = xasprintf("{" SUMMARY "\"scenarios\": [%s]}", list);
	struct stored_run from;

	assert_int_equal(stored_take(&from, json_read(text, strlen(text), NULL), NULL), 0);
	check_target("system", &from, w);
	stored_fini(&from);
	free(text);
}

/* Rows of one scenario name different clauses, and each row counts for its own. */
TEST_BETWEEN(test_coverage__of_a_run__row_by_row, load_rows, unload)
{
	check_rows_of(ROW("one,ip=4", "PASS") "," ROW("one,ip=6", "SKIP") ","
		      ROW("two,ip=4", "PASS") "," ROW("two,ip=6", "FAIL") ","
		      ROW("three,ip=4", "XFAIL") "," ROW("three,ip=6", "PASS"),
		      (const struct wanted[]){
		{"R-ONE", COVER_SHOWN}, {"R-TWO", COVER_MISSING}, {"R-THREE", COVER_SHOWN},
		{"EAI_NONAME", COVER_SHOWN}, {"EAI_AGAIN", COVER_MISSING},
		{"EAI_FAIL", COVER_SHOWN}, {NULL, COVER_COUNT},
	});
	check_rows_of(ROW("one,ip=4", "ERROR") "," ROW("two,ip=4", "XFAIL"),
		      (const struct wanted[]){
		{"R-ONE", COVER_MISSING}, {"R-TWO", COVER_DEVIATES}, {"R-THREE", COVER_MISSING},
		{"EAI_AGAIN", COVER_DEVIATES}, {NULL, COVER_COUNT},
	});
}

TEST_BETWEEN(test_coverage__one_target__row_by_row, load_rows, unload)
{
	check_target("system", NULL, (const struct wanted[]){
		{"R-ONE", COVER_SHOWN}, {"R-TWO", COVER_SHOWN}, {"R-THREE", COVER_MISSING},
		{"EAI_FAIL", COVER_MISSING}, {NULL, COVER_COUNT},
	});
	check_target("reference", NULL, (const struct wanted[]){
		{"R-THREE", COVER_SHOWN}, {"EAI_FAIL", COVER_SHOWN}, {NULL, COVER_COUNT},
	});
}

static void check_refused(const char *members, const char *why)
{
	char *text = xasprintf("{%s}", members);
	struct vbm_error err = {0};
	struct stored_run from;
	struct value *v = json_read(text, strlen(text), &err);

	assert_int_equal(v ? stored_take(&from, v, &err) : -EINVAL, -EINVAL);
	if (!strstr(err.msg, why))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, why);
	free(text);
}

static const char *lacks_of(const char *calls, const char *name)
{
	const struct cover_row *row;
	struct coverage c;
	const char *lacks;

	coverage_make(&c, &survey, &(struct cover_filter){.target = "system", .calls = calls});
	row = row_of(&c, name);
	assert_int_equal(row->cover == COVER_MISSING, row->lacks != NULL);
	lacks = row->lacks;
	coverage_fini(&c);
	return lacks;
}

static int load_own(void **state)
{
	struct text problems auto_text = {0};
	struct vbm_error err;

	(void)state;
	return survey_load(&survey, test_data("../../scenarios"), NULL, &problems, &err);
}

/* The scenarios of resolve/ that make the asynchronous call, for rdma-core before and since 60. */
TEST_BETWEEN(test_coverage__calls_that_the_target_lacks, load_own, unload)
{
	assert_string_equal(lacks_of("", "RES-QUERY"), "call=rdma_resolve_addrinfo");
	assert_null(lacks_of("rdma_resolve_addrinfo", "RES-QUERY"));
	assert_null(lacks_of(NULL, "RES-QUERY"));
	/* Its scenarios need both calls, and no rdma-core has this one. */
	assert_string_equal(lacks_of("", "EAI_CANCELED"), "call=vbm_cancel");
	assert_string_equal(lacks_of("rdma_resolve_addrinfo", "EAI_CANCELED"), "call=vbm_cancel");
	assert_null(lacks_of("rdma_resolve_addrinfo vbm_cancel", "EAI_CANCELED"));
}

TEST(test_verdicts__what_is_no_summary)
{
	struct stored_run from;
	struct vbm_error err;

	assert_int_equal(stored_take(&from, json_read("{\"target\": \"x\"}", 15, NULL), &err),
			 -EINVAL);
	assert_int_equal(stored_take(&from, json_read("[]", 2, NULL), &err), -EINVAL);
	/* An unknown verdict must not count as a variant that did not run. */
	check_refused(SUMMARY "\"scenarios\": [" ROW("one,ip=4", "PASSED") "]", "'PASSED', which is not");
	check_refused(SUMMARY "\"scenarios\": [{\"name\": \"a/b\"}]", "no 'verdict'");
	check_refused(SUMMARY "\"total\": \"2\", \"scenarios\": []", "duplicate");
	check_refused("\"event\": \"summary\", \"scenarios\": []", "lacks the member");
	assert_int_equal(stored_load(&from, test_data("nonesuch"), &err), -ENOENT);
	assert_non_null(strstr(err.msg, "--output"));
}

TEST_BETWEEN(test_check__a_true_table, load, unload)
{
	struct text problems auto_text = {0};

	assert_int_equal(survey_check(&survey, &problems, NULL), 0);
	assert_null(problems.s);
}

TEST(test_check__an_untrue_table)
{
	static const char *const said[] = {
		("coverage.tsv:2: error: there is no clause or code 'C-THREF' (did you mean "
		 "'C-THREE'?)"),
		"coverage.tsv:3: error: the scenario demo/one shows C-ONE: remove this line",
		"coverage.tsv:4: error: the scenario demo/one shows EAI_NONAME: remove this line",
		"coverage.tsv:5: error: there is no test tests/unit/gone.c",
		"coverage.tsv:6: error: tests/unit/shown.c does not contain 'five'",
	};
	struct text problems auto_text = {0};
	struct survey bad;
	const char *p;
	size_t i, lines = 0;

	assert_int_equal(survey_load(&bad, test_data("coverage-bad/scenarios"), NULL, &problems, NULL), 0);
	assert_int_equal(survey_check(&bad, &problems, NULL), -EINVAL);
	for (i = 0; i < ARRAY_SIZE(said); i++)
		if (!strstr(problems.s, said[i]))
			fail_msg("not said: %s\nbut: %s", said[i], problems.s);
	for (p = problems.s; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, ARRAY_SIZE(said));
	survey_fini(&bad);
}

static size_t errno_codes(void)
{
	struct codes codes;
	size_t i, n = 0;

	codes_make(&codes);
	for (i = 0; i < codes.count; i++)
		n += codes.item[i].call != NULL;
	codes_fini(&codes);
	return n;
}

TEST(test_codes__every_errno__is_in_its_clause)
{
	struct text problems auto_text = {0};
	const struct call_errno *e;
	const struct clause *clause;
	struct survey own;

	assert_int_equal(survey_load(&own, test_data("../../scenarios"), NULL, &problems, NULL), 0);
	for (e = call_errnos; e->call; e++) {
		clause = clause_find(&own.clauses, e->clause);
		if (!clause || (!strstr(clause->observe, e->name) &&
				!strstr(clause->decision, e->name)))
			fail_msg("%s does not speak of %s", e->clause, e->name);
	}
	/* A name that const_errno lacks would be left out without a message. */
	assert_int_equal(errno_codes(), e - call_errnos);
	survey_fini(&own);
}
