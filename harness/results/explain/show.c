/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"
#include "explain/explain.h"

#define WIDTH 88
#define INDENT 14

/* Prints a label and words, with line breaks before WIDTH. */
static void print_words(FILE *f, const char *label, const char *s)
{
	size_t col = INDENT, n;

	fprintf(f, "  %-*s", INDENT - 2, label);
	for (s += strspn(s, " "); *s; s += n, s += strspn(s, " ")) {
		n = strcspn(s, " ");
		if (col > INDENT && col + 1 + n > WIDTH) {
			fprintf(f, "\n%*s", INDENT, "");
			col = INDENT;
		} else if (col > INDENT) {
			fputc(' ', f);
			col++;
		}
		fwrite(s, 1, n, f);
		col += n;
	}
	fputc('\n', f);
}

static void print_text(FILE *f, const struct value *m, const char *key, const char *label)
{
	const char *s = value_get_string(m, key, NULL);

	if (s && *s && strcmp(s, "-") != 0)
		print_words(f, label, s);
}

static void print_list(FILE *f, const struct value *m, const char *key, const char *label)
{
	auto_free char *text = value_join(value_get(m, key));

	if (text)
		print_words(f, label, text);
}

/* Rows of a list: the member @name of each, with its clause and, if @has_cover, how that is covered. */
static void print_rows(FILE *f, const struct value *m, const char *key, const char *label, const char *name,
		       bool has_cover)
{
	const struct value *list = value_get(m, key), *row;
	struct text t auto_text = {0};
	size_t i;

	for (i = 0; list && i < list->list.count; i++) {
		row = list->list.item[i];
		text_addf(&t, "%s%s (%s%s%s)", i ? ", " : "", value_get_string(row, name, ""),
			  value_get_string(row, "clause", ""), has_cover ? ", " : "",
			  has_cover ? value_get_string(row, "cover", "not counted") : "");
	}
	if (t.s)
		print_words(f, label, t.s);
}

/* The causes of a call begin with the code, and the causes of a code with the call. */
static void print_causes(FILE *f, const struct value *m)
{
	const struct value *list = value_get(m, "causes"), *row;
	bool of_call = !strcmp(value_get_string(m, "what", ""), "call");
	const char *to;
	size_t i;

	for (i = 0; list && i < list->list.count; i++) {
		auto_free char *line = NULL;

		row = list->list.item[i];
		to = value_get_string(row, "to", NULL);
		line = xasprintf("%s%s%s%s%s Look at: %s", of_call ? "" : value_get_string(row, "call", ""),
				 to ? of_call ? "to " : " to " : "", to ? to : "", to || !of_call ? ": " : "",
				 value_get_string(row, "cause", ""), value_get_string(row, "check", ""));
		print_words(f, of_call ? value_get_string(row, "code", "") : i ? "" : "By call", line);
	}
}

static void print_findings(FILE *f, const struct value *m)
{
	const struct value *list = value_get(m, "findings"), *d;
	const char *devices;
	size_t i;

	for (i = 0; list && i < list->list.count; i++) {
		auto_free char *line = NULL, *fix = NULL;

		d = list->list.item[i];
		fix = finding_fix_show(d);
		devices = value_get_string(d, "devices", "any");
		line = xasprintf("%s %s: %s (measured: %s%s%s%s%s)", value_get_string(d, "title", ""),
				 value_get_string(d, "name", ""), value_get_string(d, "what", ""),
				 value_get_string(d, "measured", ""), strcmp(devices, "any") ? "; devices: " : "",
				 strcmp(devices, "any") ? devices : "", fix ? "; fixed by " : "", fix ? fix : "");
		print_words(f, i ? "" : "Findings", line);
	}
}

/* "rxe: covered; siw: deviates (siw-last-request)" */
static void print_devices(FILE *f, const struct value *m)
{
	const struct value *list = value_get(m, "by_device"), *d;
	struct text t auto_text = {0};
	const char *needs;
	size_t i;

	for (i = 0; list && i < list->list.count; i++) {
		auto_free char *findings = NULL;

		d = list->list.item[i];
		findings = value_join(value_get(d, "findings"));
		needs = value_get_string(d, "needs", NULL);
		text_addf(&t, "%s%s: %s", i ? "; " : "", value_get_string(d, "device", ""), value_get_string(d, "cover", ""));
		if (findings)
			text_addf(&t, " (%s)", findings);
		if (needs)
			text_addf(&t, ", %s", needs);
	}
	if (t.s)
		print_words(f, "By device", t.s);
}

/* Lines of a page keep their breaks, because some are code. */
static void print_pages(FILE *f, const struct value *m)
{
	const struct value *list = value_get(m, "pages"), *p;
	const char *text, *line;
	size_t i, n;

	for (i = 0; list && i < list->list.count; i++) {
		p = list->list.item[i];
		text = value_get_string(p, "text", NULL);
		if (!text) {
			print_text(f, p, "problem", "Page");
			continue;
		}
		fprintf(f, "  from %s as installed here:\n", value_get_string(p, "page", ""));
		for (line = text; *line; line += n + (line[n] == '\n')) {
			n = strcspn(line, "\n");
			fprintf(f, "%s%.*s\n", n ? "    " : "", (int)n, line);
		}
	}
}

void explain_text(FILE *f, const struct value *m)
{
	fputs(value_get_string(m, "name", ""), f);
	if (value_get(m, "value"))
		fprintf(f, " (%" PRId64 ")", value_get_int(m, "value", 0));
	fprintf(f, ", %s\n", value_get_string(m, "what", ""));
	print_text(f, m, "meaning", "Meaning");
	print_text(f, m, "cause", "Usual cause");
	print_text(f, m, "check", "Look at");
	print_causes(f, m);
	print_rows(f, m, "codes", "Codes", "code", false);
	print_list(f, m, "steps", "Steps");
	print_text(f, m, "observe", "Seen by");
	print_text(f, m, "decision", "Decision");
	print_text(f, m, "source", "Source");
	print_text(f, m, "named_by", "Named by");
	print_text(f, m, "cover", "Coverage");
	print_devices(f, m);
	print_text(f, m, "where", "Where");
	print_text(f, m, "why", "Why");
	print_list(f, m, "parameters", "Parameters");
	print_list(f, m, "results", "Results");
	print_rows(f, m, "calls", "Used by", "call", true);
	print_list(f, m, "clauses", "Clauses");
	print_list(f, m, "scenarios", "Scenarios");
	print_findings(f, m);
	print_text(f, m, "more", "More");
	print_pages(f, m);
}
