/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of a CI job, in GitHub's Markdown; other programs that read Markdown show it, too. */
#include <ctype.h>
#include <string.h>

#include "event/read.h"
#include "report/variant.h"
#include "report/report.h"
#include "report/unexpected.h"

/*
 * GitHub refuses a whole summary of more than 1 MiB. The rows end at ROWS_MAX, and the details of variants,
 * which follow, at SUMMARY_MAX; END_ROOM is left for the line that counts what is left out.
 */
#define SUMMARY_MAX (900 << 10)
#define ROWS_MAX (600 << 10)
#define END_ROOM 1000
#define DETAILS_SHOWN 30

/*
 * Writes each character that may mean something in Markdown or HTML as a reference, so that a text
 * of a program stays a text: no link, no picture, no name that is mentioned.
 */
static void add_plain(struct text *t, const char *s)
{
	for (; *s; s++) {
		if (*s == '\n')
			text_add(t, "<br>");
		else if (isalnum((unsigned char)*s) || (*s & 0x80) || strchr(" ./,;=()-", *s))
			text_add_bytes(t, s, 1);
		else
			text_addf(t, "&#%d;", *s);
	}
}

/* Within <pre> only these three mean something. */
static void add_preformatted(struct text *t, const char *s)
{
	for (; *s; s++) {
		if (strchr("&<>", *s))
			text_addf(t, "&#%d;", *s);
		else
			text_add_bytes(t, s, 1);
	}
}

static void add_heading(struct text *t, const struct unexpected *u, bool compared)
{
	size_t variants = u->count - u->errors;

	text_add(t, "## verbatim: ");
	if (!u->count)
		text_add(t, "all as expected\n\n");
	else if (!variants)
		text_addf(t, "%zu error%s of the run\n\n", u->errors, u->errors == 1 ? "" : "s");
	else
		text_addf(t, "%zu variant%s not as expected", variants, variants == 1 ? " is" : "s are");
	if (!variants)
		return;
	if (compared)
		text_addf(t, ", %zu of them new", u->fresh);
	text_add(t, "\n\n");
}

static void add_facts(struct text *t, const struct value *summary)
{
	struct text place auto_text = {0};

	unexpected_counts(summary, t);
	text_add(t, "  \n");
	report_add_place(&place, summary, false);
	add_plain(t, place.s);
	text_add(t, "\n\n");
}

static void add_row(struct text *t, const struct unexpected_item *i, bool compared)
{
	text_addf(t, "| %s%s | ", compared && i->rank == UNEXPECTED_NEW ? "new " : "", i->label);
	add_plain(t, *i->name ? i->name : "(the run)");
	text_add(t, " | ");
	add_plain(t, i->message);
	text_add(t, " |\n");
}

/* Adds the rows that fit, and returns their number. */
static size_t add_rows(struct text *t, const struct unexpected *u, bool compared)
{
	size_t i;

	if (u->count)
		text_add(t, "| | variant | what happened |\n|---|---|---|\n");
	for (i = 0; i < u->count; i++) {
		struct text row auto_text = {0};

		add_row(&row, &u->item[i], compared);
		if (t->len + row.len > ROWS_MAX)
			break;
		text_add_bytes(t, row.s, row.len);
	}
	return i;
}

static void add_details(struct text *t, const struct unexpected_item *i)
{
	struct text block auto_text = {0};

	text_add(&block, "\n<details><summary>");
	add_plain(&block, i->name);
	text_add(&block, "</summary>\n\n<pre>\n");
	add_preformatted(&block, i->details);
	text_add(&block, "</pre>\n\n</details>\n");
	if (t->len + block.len <= SUMMARY_MAX - END_ROOM)
		text_add_bytes(t, block.s, block.len);
}

static void on_close(struct report *r)
{
	struct unexpected *u = r->priv;
	size_t i, rows;

	unexpected_end(u);
	add_heading(&r->text, u, r->opts.earlier);
	if (u->summary)
		add_facts(&r->text, u->summary);
	rows = add_rows(&r->text, u, r->opts.earlier);
	for (i = 0; i < rows && i < DETAILS_SHOWN; i++)
		if (*u->item[i].details)
			add_details(&r->text, &u->item[i]);
	if (rows < u->count)
		text_addf(&r->text, "\n%zu more are not as expected and are left out here, because the summary would be "
				    "too large; the folder of --output and the page have all of them.\n", u->count - rows);
	unexpected_fini(u);
}

const struct report_ops report_markdown = {
	.name = "markdown",
	.doc = "the summary of a CI job, of less than 900 KiB, new failures first; written when the run ends",
	.priv_size = sizeof(struct unexpected),
	.compares = true,
	.event = unexpected_event,
	.close = on_close,
};
