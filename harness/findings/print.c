/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
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

/* What "documentation" is short for. */
static const char *kind_of(const struct value *m)
{
	const char *kind = get(m, "kind");

	return strcmp(kind, "documentation") ? kind : "documentation bug";
}

static void print_text(FILE *f, const struct value *list)
{
	const struct value *m;
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		m = list->list.item[i];
		fprintf(f, "%-12s %-14s %-13s %s\n             %s\n", layer_of(m), kind_of(m),
			get(m, "severity"), get(m, "name"), get(m, "what"));
	}
	fprintf(f, "%zu finding%s\n", list->list.count, list->list.count == 1 ? "" : "s");
}

static void print_json(FILE *f, const struct value *list)
{
	auto_free char *text = json_write_pretty(list);

	fprintf(f, "%s\n", text);
}

/* What Markdown would take for its own is written so that it does not. */
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
	auto_free char *when = value_join(value_get(m, "when"));

	fprintf(f, "\n### %s\n\n", get(m, "name"));
	fprintf(f, "%s, %s. ", kind_of(m), get(m, "severity"));
	put_md(f, get(m, "what"));
	fputs("\n\n", f);
	put_promises(f, m);
	put_item(f, "Page", get(m, "source"));
	put_item(f, "Expected", get(m, "expected"));
	put_item(f, "Got", get(m, "got"));
	put_item(f, "Where", when);
	put_item(f, "Measured", get(m, "measured"));
	put_item(f, "Inferred, not measured", get(m, "inferred"));
	put_item(f, "Upstream", get(m, "link"));
	if (*get(m, "command"))
		fprintf(f, "- **See it**: `%s`\n", get(m, "command"));
}

static void put_contents(FILE *f, const struct value *list)
{
	const struct value *m;
	size_t i;

	fputs("| layer | severity | finding | kind |\n|---|---|---|---|\n", f);
	for (i = 0; i < list->list.count; i++) {
		m = list->list.item[i];
		fprintf(f, "| %s | %s | [%s](#%s) | %s |\n", layer_of(m), get(m, "severity"),
			get(m, "name"), get(m, "name"), kind_of(m));
	}
}

static void print_md(FILE *f, const struct value *list)
{
	const char *layer = "";
	size_t i;

	fputs("# Findings\n\n"
	      "What `verbatim` knows not to be as it should, by layer, the worst first. A "
	      "*deviation* is\nnot what a manual page or specification says. A *difference* is "
	      "not what we decided where\nthey are silent; nobody broke a promise. A "
	      "*documentation bug* is what a page says and\ncannot mean. `verbatim explain CLAUSE` "
	      "prints the page's own words, `--kernel` and\n`--target` of `verbatim run` choose "
	      "where. `make findings-page` writes this page from\n`scenarios/findings/`; do not "
	      "edit it.\n\n", f);
	put_contents(f, list);
	for (i = 0; i < list->list.count; i++) {
		if (strcmp(layer, layer_of(list->list.item[i]))) {
			layer = layer_of(list->list.item[i]);
			fprintf(f, "\n## %s\n", layer);
		}
		put_finding(f, list->list.item[i]);
	}
}

const struct findings_format findings_formats[] = {
	{"text", print_text},
	{"md", print_md},
	{"json", print_json},
	{0},
};

const struct findings_format *findings_format_find(const char *name)
{
	const struct findings_format *f = findings_formats;

	while (f->name && strcmp(f->name, name))
		f++;
	return f->name ? f : NULL;
}
