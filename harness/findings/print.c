/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "findings/list.h"

static const char *get(const struct value *m, const char *key)
{
	return value_get_string(m, key, "");
}

static const char *layer_of(const struct value *m)
{
	const char *layer = get(m, "layer");

	return *layer ? layer : "no layer";
}

static bool is_in(const struct value *m, enum findings_part part)
{
	return !strcmp(get(m, "part"), findings_parts[part]);
}

static size_t count_of(const struct value *list, enum findings_part part)
{
	size_t i, count = 0;

	for (i = 0; i < list->list.count; i++)
		count += is_in(list->list.item[i], part);
	return count;
}

/* The groups that reports count. Fixed findings and those of other projects are counted apart. */
static const struct {
	enum findings_part part;
	const char *one, *many;
} counted[] = {
	{FINDINGS_BUGS, "bug", "bugs"},
	{FINDINGS_STACK, "deviation or difference", "deviations and differences"},
	{FINDINGS_PAGES, "documentation bug", "documentation bugs"},
	{FINDINGS_OTHERS, "of another project", "of other projects"},
	{FINDINGS_FIXED, "fixed upstream", "fixed upstream"},
};

static void put_counts(FILE *f, const struct value *list)
{
	const char *before = ": ";
	size_t i, n;

	fprintf(f, "%zu finding%s", list->list.count, list->list.count == 1 ? "" : "s");
	for (i = 0; i < ARRAY_SIZE(counted); i++) {
		n = count_of(list, counted[i].part);
		if (!n)
			continue;
		fprintf(f, "%s%zu %s", before, n, n == 1 ? counted[i].one : counted[i].many);
		before = ", ";
	}
}

static void put_more(FILE *f, const char *label, const char *text)
{
	if (text && *text)
		fprintf(f, "             %s: %s\n", label, text);
}

/* The short form, for a reader who asked for a few findings by name. */
static void put_line(FILE *f, const struct value *m)
{
	auto_free char *fix = finding_fix_show(m), *links = value_join(value_get(m, "link"));

	fprintf(f, "%-12s %-14s %-13s %s\n             %s\n", layer_of(m), get(m, "title"),
		get(m, "severity"), get(m, "name"), get(m, "what"));
	put_more(f, "cause", get(m, "cause"));
	put_more(f, "reported", get(m, "reported"));
	put_more(f, "upstream", links);
	put_more(f, "fixed by", fix);
}

static void print_text(FILE *f, const struct value *list)
{
	const struct value *m;
	bool fixed = false;
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		m = list->list.item[i];
		if (!fixed && is_in(m, FINDINGS_FIXED)) {
			fprintf(f, "%sfixed upstream:\n", i ? "\n" : "");
			fixed = true;
		}
		put_line(f, m);
	}
	put_counts(f, list);
	fputc('\n', f);
}

static void print_json(FILE *f, const struct value *list)
{
	auto_free char *text = json_write_pretty(list);

	fprintf(f, "%s\n", text);
}

/* Escapes the characters that have a meaning in Markdown. */
static void put_md(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (strchr("*_<>[]|`\\", *s))
			fputc('\\', f);
		fputc(*s, f);
	}
}

static void put_item(FILE *f, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(f, "- **%s**: ", label);
	put_md(f, text);
	fputc('\n', f);
}

static void put_promises(FILE *f, const struct value *m)
{
	const struct value *list = value_get(m, "promises"), *p;
	size_t i;

	for (i = 0; list && i < list->list.count; i++) {
		p = list->list.item[i];
		fputs("- **Promise**: ", f);
		put_md(f, get(p, "statement"));
		fputs(" (", f);
		put_md(f, get(p, "clause"));
		fputs(": ", f);
		put_md(f, get(p, "source"));
		fputs(")\n", f);
	}
}

static void put_finding(FILE *f, const struct value *m)
{
	auto_free char *when = value_join(value_get(m, "when")), *fix = finding_fix_show(m);
	auto_free char *links = value_join(value_get(m, "link"));

	fprintf(f, "\n### %s\n\n", get(m, "name"));
	fprintf(f, "%s, %s, %s. ", layer_of(m), get(m, "title"), get(m, "severity"));
	put_md(f, get(m, "what"));
	fputs("\n\n", f);
	put_promises(f, m);
	put_item(f, "Page", get(m, "source"));
	put_item(f, "Expected", get(m, "expected"));
	put_item(f, "Got", get(m, "got"));
	put_item(f, "Where", when);
	put_item(f, "Measured", get(m, "measured"));
	put_item(f, "Inferred, not measured", get(m, "inferred"));
	put_item(f, "Suspected", get(m, "cause"));
	put_item(f, "Reported", get(m, "reported"));
	put_item(f, "Upstream", links);
	put_item(f, "Fixed by", fix);
	/* The page does not say how to make an unfixed bug happen: SECURITY.md. */
	if (*get(m, "command") && !is_in(m, FINDINGS_BUGS))
		fprintf(f, "- **See it**: `%s`\n", get(m, "command"));
}

static void put_contents(FILE *f, const struct value *list)
{
	const struct value *m;
	size_t i;

	fputs("| layer | severity | finding | kind |\n|---|---|---|---|\n", f);
	for (i = 0; i < list->list.count; i++) {
		m = list->list.item[i];
		fprintf(f, "| %s | %s | [%s](#%s) | %s%s |\n", layer_of(m), get(m, "severity"),
			get(m, "name"), get(m, "name"), get(m, "title"),
			is_in(m, FINDINGS_FIXED) ? ", fixed upstream" : "");
	}
}

/* The headings of the parts. The findings of the stack have one heading for each layer. */
static const struct {
	enum findings_part part;
	const char *title, *text;
} headings[] = {
	{FINDINGS_BUGS, "Bugs", "The worst first."},
	{FINDINGS_PAGES, "Documentation", NULL},
	{FINDINGS_OTHERS, "Other projects", "They do not count against the stack."},
	{FINDINGS_FIXED, "Fixed upstream",
	 "The newest versions that were measured do not have these any more; older ones do."},
};

static void put_heading(FILE *f, const struct value *m)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(headings); i++)
		if (is_in(m, headings[i].part))
			break;
	fprintf(f, "\n## %s\n", i < ARRAY_SIZE(headings) ? headings[i].title : layer_of(m));
	if (i < ARRAY_SIZE(headings) && headings[i].text)
		fprintf(f, "\n%s\n", headings[i].text);
}

/* Whether @m begins a chapter of the page, because it differs from @before. */
static bool begins(const struct value *m, const struct value *before)
{
	if (!before || strcmp(get(m, "part"), get(before, "part")))
		return true;
	return is_in(m, FINDINGS_STACK) && strcmp(layer_of(m), layer_of(before));
}

static void print_md(FILE *f, const struct value *list)
{
	const struct value *before = NULL, *m;
	size_t i;

	fputs("# Findings\n\n"
	      "This page lists what `verbatim` knows to be wrong. A *bug* is a memory "
	      "error, a crash or\na hang, whatever a page promises; bugs come first. In a "
	      "*deviation* the stack does something else\nthan a manual page or specification says. "
	      "In a *difference* no page and no\nspecification says what must happen, and the stack "
	      "does something else than we decided, so no\npromise is broken. Deviations and "
	      "differences are sorted by layer, the worst first. In\na *documentation bug* the "
	      "page must be wrong. A finding of *another project* (for example\nglibc) reaches "
	      "programs through the stack, and does not count against it. The last\npart lists what the newest versions have fixed.\n\n"
	      "`verbatim explain CLAUSE` prints the text of the page. `--kernel` and `--target` "
	      "of\n`verbatim run` choose the kernel and the library of a run. `make findings-page` writes this "
	      "page from\n`scenarios/findings/`; do not edit it.\n\n", f);
	put_counts(f, list);
	fputs(".\n\n", f);
	put_contents(f, list);
	for (i = 0; i < list->list.count; i++) {
		m = list->list.item[i];
		if (begins(m, before))
			put_heading(f, m);
		put_finding(f, m);
		before = m;
	}
}

const struct findings_format findings_formats[] = {
	{"text", print_text},
	{"md", print_md},
	{"json", print_json},
	{"sarif", findings_sarif},
	{0},
};

const struct findings_format *findings_format_find(const char *name)
{
	const struct findings_format *f = findings_formats;

	while (f->name && strcmp(f->name, name))
		f++;
	return f->name ? f : NULL;
}
