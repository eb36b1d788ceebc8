/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of findings in Markdown: one document with all that is known of each, and the index of a folder
 * with a page for each. Both have the same order.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "findings/list.h"

void markdown_put(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (strchr("*_<>[]|`\\", *s))
			fputc('\\', f);
		fputc(*s, f);
	}
}

void markdown_put_item(FILE *f, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(f, "- **%s**: ", label);
	markdown_put(f, text);
	fputc('\n', f);
}

void markdown_put_what(FILE *f, const struct value *m)
{
	fprintf(f, "%s, %s, %s. ", findings_layer(m), value_text(m, "title"), value_text(m, "severity"));
	markdown_put(f, value_text(m, "what"));
}

static void put_promises(FILE *f, const struct value *m)
{
	const struct value *list = value_get(m, "promises"), *p;
	size_t i;

	for (i = 0; list && i < list->list.count; i++) {
		p = list->list.item[i];
		fputs("- **Promise**: ", f);
		markdown_put(f, value_text(p, "statement"));
		fputs(" (", f);
		markdown_put(f, value_text(p, "clause"));
		fputs(": ", f);
		markdown_put(f, value_text(p, "source"));
		fputs(")\n", f);
	}
}

/* All that is known of one finding. */
static void put_whole(FILE *f, const struct value *m)
{
	auto_free char *when = value_join(value_get(m, "when")), *fix = finding_fix_show(m);
	auto_free char *links = value_join(value_get(m, "link"));

	put_promises(f, m);
	markdown_put_item(f, "Page", value_text(m, "source"));
	markdown_put_item(f, "Expected", value_text(m, "expected"));
	markdown_put_item(f, "Got", value_text(m, "got"));
	markdown_put_item(f, "Where", when);
	markdown_put_item(f, "Measured", value_text(m, "measured"));
	markdown_put_item(f, "Inferred, not measured", value_text(m, "inferred"));
	markdown_put_item(f, "Suspected", value_text(m, "cause"));
	markdown_put_item(f, "Reported", value_text(m, "reported"));
	markdown_put_item(f, "Upstream", links);
	markdown_put_item(f, "Fixed by", fix);
	/* The page does not say how to make an unfixed bug happen: SECURITY.md. */
	if (*value_text(m, "command") && !findings_is_in(m, FINDINGS_BUGS))
		fprintf(f, "- **See it**: `%s`\n", value_text(m, "command"));
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
		if (findings_is_in(m, headings[i].part))
			break;
	fprintf(f, "\n## %s\n", i < ARRAY_SIZE(headings) ? headings[i].title : findings_layer(m));
	if (i < ARRAY_SIZE(headings) && headings[i].text)
		fprintf(f, "\n%s\n", headings[i].text);
}

/* Whether @m begins a chapter of the list, because it differs from @before. */
static bool begins(const struct value *m, const struct value *before)
{
	if (!before || strcmp(value_text(m, "part"), value_text(before, "part")))
		return true;
	return findings_is_in(m, FINDINGS_STACK) && strcmp(findings_layer(m), findings_layer(before));
}

static void put_contents(FILE *f, const struct value *list)
{
	const struct value *m;
	size_t i;

	fputs("| layer | severity | finding | kind | devices |\n|---|---|---|---|---|\n", f);
	for (i = 0; i < list->list.count; i++) {
		m = list->list.item[i];
		fprintf(f, "| %s | %s | [%s](#%s) | %s%s | %s |\n", findings_layer(m), value_text(m, "severity"), value_text(m, "name"),
			value_text(m, "name"), value_text(m, "title"), findings_is_in(m, FINDINGS_FIXED) ? ", fixed upstream" : "",
			value_text(m, "devices"));
	}
}

static void put_entries(FILE *f, const struct value *list)
{
	const struct value *before = NULL, *m;
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		m = list->list.item[i];
		if (begins(m, before))
			put_heading(f, m);
		fprintf(f, "\n### %s\n\n", value_text(m, "name"));
		markdown_put_what(f, m);
		fputs("\n\n", f);
		put_whole(f, m);
		before = m;
	}
}

static const char introduction[] =
	"# Findings\n\n"
	"This page lists what `verbatim` knows to be wrong. A *bug* is a memory "
	"error, a crash or\na hang, whatever a page promises; bugs come first. In a "
	"*deviation* the stack does something else\nthan a manual page or specification says. "
	"In a *difference* no page and no\nspecification says what must happen, and the stack "
	"does something else than we decided, so no\npromise is broken. Deviations and "
	"differences are sorted by layer, the worst first. In\na *documentation bug* the "
	"page must be wrong. A finding of *another project* (for example\nglibc) reaches "
	"programs through the stack, and does not count against it. The last\npart lists what the newest versions have fixed.\n\n";

void findings_md(FILE *f, const struct value *list)
{
	fprintf(f, "%s`verbatim explain CLAUSE` prints the text of the page. `--kernel` and `--target` "
		"of\n`verbatim run` choose the kernel and the library of a run.\n"
		"The last column names the types of devices (`--device`) that can have a finding.\n\n", introduction);
	findings_put_counts(f, list);
	fputs(".\n\n", f);
	put_contents(f, list);
	put_entries(f, list);
}

/* A finding is one line, and nothing counts them, so that a change of one finding changes one line. */
void findings_index(FILE *f, const struct value *list, const char *folder)
{
	const struct value *m;
	size_t i;

	fprintf(f, "%s`verbatim findings NAME --format md` prints all that is known of one: the versions that were measured, the\n"
		"promise, what comes, and a command (none for a bug that is not mended).\n\n| finding | what | versions |\n|---|---|---|\n", introduction);
	for (i = 0; i < list->list.count; i++) {
		auto_free char *when = NULL;

		m = list->list.item[i];
		when = value_join(value_get(m, "when"));
		fprintf(f, "| <a id=\"%s\"></a>[%s](%s/%s.md) | ", value_text(m, "name"), value_text(m, "name"), folder,
			value_text(m, "name"));
		markdown_put_what(f, m);
		fputs(" | ", f);
		markdown_put(f, when ? when : "all that were measured");
		fputs(" |\n", f);
	}
}
