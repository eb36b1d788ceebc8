/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "findings/list.h"

static void put_more(FILE *f, const char *label, const char *text)
{
	if (text && *text)
		fprintf(f, "             %s: %s\n", label, text);
}

/* The short form, for a reader who asked for a few findings by name. */
static void put_line(FILE *f, const struct value *m)
{
	auto_free char *fix = finding_fix_show(m), *links = value_join(value_get(m, "link"));

	fprintf(f, "%-12s %-14s %-13s %s\n             %s\n", findings_layer(m), value_text(m, "title"),
		value_text(m, "severity"), value_text(m, "name"), value_text(m, "what"));
	put_more(f, "seen", value_text(m, "seen"));
	put_more(f, "cause", value_text(m, "cause"));
	put_more(f, "reported", value_text(m, "reported"));
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
		if (!fixed && findings_is_in(m, FINDINGS_FIXED)) {
			fprintf(f, "%sfixed upstream:\n", i ? "\n" : "");
			fixed = true;
		}
		put_line(f, m);
	}
	findings_put_counts(f, list);
	fputc('\n', f);
}

static void print_json(FILE *f, const struct value *list)
{
	auto_free char *text = json_write_pretty(list);

	fprintf(f, "%s\n", text);
}

const struct findings_format findings_formats[] = {
	{"text", print_text},
	{"md", findings_md},
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
