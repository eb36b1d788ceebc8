/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: matrix/differences.c matrix/results.c matrix/show.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"
#include "cmd/cmd.h"
#include "matrix/show.h"
#include "matrix/results.h"

/* Two kernels and two releases; the cells are 6.1 x 44, 6.1 x 65, 7.3 x 44, 7.3 x 65. */
#define FILE_TEXT "matrix: <b>\nkernel: [6.1, 7.3]\nrdma-core: [44, 65]\n"
#define CELLS 4

struct world {
	struct matrix matrix;
	struct results results;
	struct differences differences;
};

/* Each character is the verdict of variant "a", "b"...: P(ASS), F(AIL), X(FAIL by finding "f"), Y (by "g"), S(KIP). "": no place. */
static void fill(struct cell_result *c, const char *verdicts)
{
	static const struct {
		char c;
		enum verdict verdict;
		const char *text;
	} names[] = {
		{'P', VERDICT_PASS, "\"PASS\""}, {'F', VERDICT_FAIL, "\"FAIL\",\"reason\":\"<why>\""},
		{'X', VERDICT_XFAIL, "\"XFAIL\",\"findings\":[\"f\"]"}, {'Y', VERDICT_XFAIL, "\"XFAIL\",\"findings\":[\"g\"]"},
		{'S', VERDICT_SKIP, "\"SKIP\",\"reason\":\"needs\""},
	};
	struct text t auto_text = {0};
	struct vbm_error err;
	size_t i, k;

	if (!*verdicts) {
		c->state = CELL_NO_PLACE;
		c->why = xstrdup("no QEMU here");
		return;
	}
	text_addf(&t, "{\"event\":\"summary\",\"lane\":\"uml\",\"accelerator\":\"none\",\"kernel\":\"7.3\",\"rdma_core\":\"44.0\","
		  "\"target\":\"system\",\"counts\":{},\"total\":1,\"took_ms\":1,\"exit\":%d,\"scenarios\":[",
		  strchr(verdicts, 'F') ? 1 : 0);
	for (i = 0; verdicts[i]; i++)
		for (k = 0; k < ARRAY_SIZE(names); k++)
			if (names[k].c == verdicts[i]) {
				text_addf(&t, "%s{\"name\":\"%c\",\"verdict\":%s}", t.s[t.len - 1] == '[' ? "" : ",",
					  (char)('a' + i), names[k].text);
				c->count[names[k].verdict]++;
			}
	text_add(&t, "]}");
	assert_int_equal(stored_take(&c->run, json_read(t.s, t.len, &err), &err), 0);
	c->state = CELL_RAN;
}

static void begin(struct world *w, const char *const verdicts[CELLS])
{
	struct diagnostics diag = {0};
	size_t i;

	assert_int_equal(matrix_parse(&w->matrix, FILE_TEXT, strlen(FILE_TEXT), &diag), 0);
	assert_int_equal(w->matrix.cells, CELLS);
	results_init(&w->results, &w->matrix, "out");
	for (i = 0; i < CELLS; i++)
		fill(&w->results.cell[i], verdicts[i]);
	differences_make(&w->differences, &w->results);
}

static void finish(struct world *w)
{
	differences_fini(&w->differences);
	results_fini(&w->results);
	matrix_fini(&w->matrix);
}

/* "kernel: 6.1 SKIP, 7.3 PASS: a" for each group, with "; " between them. */
static char *groups_of(const struct world *w)
{
	struct text t = {0};
	size_t i, k;

	text_add(&t, "");
	for (i = 0; i < w->differences.count; i++) {
		const struct difference *d = &w->differences.item[i];
		auto_free char *axes = difference_axes(d);

		text_addf(&t, "%s%s:", i ? "; " : "", axes);
		for (k = 0; k < d->ats; k++) {
			auto_free char *places = difference_places(d, k);

			if (places)
				text_addf(&t, "%s %s%s%s", strchr(" :", t.s[t.len - 1]) ? "" : ",", places, *places ? " " : "",
					  d->at[k].outcome);
		}
		for (k = 0; k < d->variants; k++)
			text_addf(&t, "%s%s", k ? " " : ": ", d->variant[k]);
	}
	return t.s;
}

TEST(test_matrix_results__an_axis_explains_a_difference)
{
	static const struct {
		const char *cell[CELLS], *groups;
	} rows[] = {
		{{"P", "P", "P", "P"}, ""},
		{{"X", "X", "X", "X"}, ""},
		{{"F", "F", "F", "F"}, "all cells: FAIL: a"},
		{{"S", "S", "P", "P"}, "kernel: 6.1 SKIP, 7.3 PASS: a"},
		{{"S", "P", "S", "P"}, "rdma-core: 44 SKIP, 65 PASS: a"},
		{{"X", "P", "P", "P"}, "kernel and rdma-core: 6.1 x 44 XFAIL f, 6.1 x 65, 7.3 x 44, 7.3 x 65 PASS: a"},
		/* Another finding is another outcome. */
		{{"X", "X", "Y", "Y"}, "kernel: 6.1 XFAIL f, 7.3 XFAIL g: a"},
		/* A cell that did not run explains nothing, and is no difference. */
		{{"P", "P", "P", ""}, ""},
		{{"S", "S", "P", ""}, "kernel: 6.1 SKIP, 7.3 PASS: a"},
		/* A variant that a cell does not have. */
		{{"PP", "PP", "P", "P"}, "kernel: 6.1 PASS, 7.3 not run: b"},
		/* The worst comes first, then the largest. */
		{{"SSXPF", "SSXPP", "PPPSF", "PPPSP"},
		 "rdma-core: 44 FAIL, 65 PASS: e; kernel: 6.1 XFAIL f, 7.3 PASS: c; "
		 "kernel: 6.1 SKIP, 7.3 PASS: a b; kernel: 6.1 PASS, 7.3 SKIP: d"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct world w = {0};
		auto_free char *groups = NULL;

		begin(&w, rows[i].cell);
		groups = groups_of(&w);
		assert_string_equal(groups, rows[i].groups);
		finish(&w);
	}
}

TEST(test_matrix_results__status)
{
	static const struct {
		const char *cell[CELLS];
		int status;
	} rows[] = {
		{{"P", "X", "S", "P"}, EXIT_OK},
		{{"P", "F", "S", "P"}, EXIT_FAILED},
		{{"P", "P", "", "P"}, EXIT_NO_FABRIC},
		{{"P", "F", "", "P"}, EXIT_FAILED},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct world w = {0};

		begin(&w, rows[i].cell);
		assert_int_equal(results_status(&w.results), rows[i].status);
		w.results.cell[0].state = CELL_BROKEN;
		assert_int_equal(results_status(&w.results), EXIT_FAILED);
		w.results.cell[0].state = CELL_REFUSED;
		assert_int_equal(results_status(&w.results), EXIT_USAGE);
		finish(&w);
	}
}

static char *shown(const struct world *w, const char *format, size_t limit)
{
	const struct shown_matrix s = {&w->results, &w->differences, limit};
	struct text t = {0};

	matrix_show(&t, &s, format);
	return t.s;
}

TEST(test_matrix_results__text)
{
	static const char *const cells[CELLS] = {"FSS", "PSS", "FPP", ""};
	struct world w = {0};
	auto_free char *text = NULL;

	begin(&w, cells);
	w.results.cell[1].kept = true;
	text = shown(&w, "text", 1);
	assert_string_equal(text,
		"3 of 3 variants differ between cells\n"
		"by rdma-core: 1 variant\n"
		"  44: FAIL (<why>)\n"
		"  65: PASS\n"
		"    a\n"
		"by kernel: 2 variants\n"
		"  6.1: SKIP (needs)\n"
		"  7.3: PASS\n"
		"    b\n"
		"    and 1 more (--all prints them)\n"
		"\n"
		"4 cells: 3 ran, 1 no place\n"
		"kernel=6.1,rdma-core=44\n"
		"  1 FAIL, 2 SKIP: not as expected\n"
		"  kernel 7.3, uml lane, rdma-core 44.0, target system\n"
		"  out/kernel=6.1,rdma-core=44\n"
		"kernel=6.1,rdma-core=65 (kept from an earlier call)\n"
		"  1 PASS, 2 SKIP\n"
		"  kernel 7.3, uml lane, rdma-core 44.0, target system\n"
		"  out/kernel=6.1,rdma-core=65\n"
		"kernel=7.3,rdma-core=44\n"
		"  2 PASS, 1 FAIL: not as expected\n"
		"  kernel 7.3, uml lane, rdma-core 44.0, target system\n"
		"  out/kernel=7.3,rdma-core=44\n"
		"kernel=7.3,rdma-core=65\n"
		"  no place: no QEMU here\n"
		"  out/kernel=7.3,rdma-core=65\n");
	finish(&w);
}

TEST(test_matrix_results__html_leads_to_evidence_and_escapes)
{
	static const char *const cells[CELLS] = {"F", "P", "F", ""};
	struct world w = {0};
	auto_free char *html = NULL;

	begin(&w, cells);
	html = shown(&w, "html", 0);
	assert_non_null(strstr(html, "<title>Verbatim: &lt;b&gt;</title>"));
	assert_null(strstr(html, "<why>"));
	assert_non_null(strstr(html, "<li>a <a href=\"kernel=6.1,rdma-core=44/a\">44</a> "
			       "<a href=\"kernel=6.1,rdma-core=65/a\">65</a></li>"));
	assert_non_null(strstr(html, "<a href=\"kernel=6.1,rdma-core=44/page.html\">"));
	assert_non_null(strstr(html, "<a href=\"kernel=7.3,rdma-core=65/errors.txt\">"));
	assert_non_null(strstr(html, "no place: no QEMU here"));
	assert_true(strstr(html, "Differences") < strstr(html, "Cells"));
	finish(&w);
}

TEST(test_matrix_results__json_and_document)
{
	static const char *const cells[CELLS] = {"S", "S", "P", ""};
	auto_free char *json = NULL, *md = NULL;
	auto_value struct value *v = NULL;
	struct vbm_error err;
	struct world w = {0};
	const struct value *d, *cell;

	begin(&w, cells);
	json = shown(&w, "json", 0);
	v = json_read(json, strlen(json), &err);
	assert_non_null(v);
	assert_int_equal(value_get_int(v, "variants_that_differ", -1), 1);
	d = value_get(v, "differences")->list.item[0];
	assert_string_equal(value_get(d, "explained_by")->list.item[0]->s, "kernel");
	assert_string_equal(value_get_string(value_get(d, "outcomes")->list.item[1], "where", ""), "7.3");
	cell = value_get(v, "cells")->list.item[3];
	assert_string_equal(value_get_string(cell, "state", ""), "no place");
	assert_string_equal(value_get_string(cell, "why", ""), "no QEMU here");
	md = shown(&w, "md", 0);
	assert_non_null(strstr(md, "# \\<b>\n"));
	assert_non_null(strstr(md, "## Explained by kernel\n\n- 1 variant: 6.1: **SKIP**; 7.3: **PASS**.\n  `a`\n"));
	assert_non_null(strstr(md, "| no place: no QEMU here |"));
	finish(&w);
}

/* "f" is seen where a variant shows it, and not where the variants that would show it pass. */
TEST(test_matrix_results__record_of_findings)
{
	static const char *const cells[CELLS] = {"XP", "PP", "S", ""};
	char f[] = "f", g[] = "g", h[] = "h", a[] = "a", b[] = "b", field[] = "return", siw[] = "siw";
	struct finding_symptom always = {.scenario = a, .field = field};
	struct finding_symptom sometimes = {.scenario = b, .field = field, .sometimes = true};
	struct finding list[] = {
		{.name = f, .symptom = &always, .symptom_count = 1},
		/* A pass of "b" proves nothing about a failure that comes only sometimes; neither does a missing line. */
		{.name = g, .symptom = &sometimes, .symptom_count = 1},
		/* Devices of rxe cannot have what is about siw. */
		{.name = h, .layer = siw, .symptom = &always, .symptom_count = 1},
	};
	const struct findings findings = {.item = list, .count = ARRAY_SIZE(list)};
	struct text t auto_text = {0};
	struct world w = {0};

	begin(&w, cells);
	matrix_record(&t, &w.results, &findings);
	assert_string_equal(t.s,
		"{\"matrix\":\"<b>\"}\n"
		"{\"cell\":1,\"name\":\"kernel=6.1,rdma-core=44\",\"kernel\":\"7.3\",\"rdma_core\":\"44.0\","
		"\"lane\":\"uml\",\"target\":\"system\",\"layout\":\"none\",\"device\":\"rxe\",\"counts\":{\"PASS\":1,\"XFAIL\":1}}\n"
		"{\"cell\":2,\"name\":\"kernel=6.1,rdma-core=65\",\"kernel\":\"7.3\",\"rdma_core\":\"44.0\","
		"\"lane\":\"uml\",\"target\":\"system\",\"layout\":\"none\",\"device\":\"rxe\",\"counts\":{\"PASS\":2}}\n"
		"{\"cell\":3,\"name\":\"kernel=7.3,rdma-core=44\",\"kernel\":\"7.3\",\"rdma_core\":\"44.0\","
		"\"lane\":\"uml\",\"target\":\"system\",\"layout\":\"none\",\"device\":\"rxe\",\"counts\":{\"SKIP\":1}}\n"
		"{\"finding\":\"f\",\"in\":[1],\"not_in\":[2]}\n");
	finish(&w);
}
