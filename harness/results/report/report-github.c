/* SPDX-License-Identifier: BSD-2-Clause */
/* Workflow commands of GitHub Actions, which show failures as annotations at their lines. */
#include <inttypes.h>
#include <string.h>

#include "report/report.h"
#include "report/unexpected.h"

/* GitHub shows ten annotations of a step and drops the others without a word. */
#define ANNOTATIONS_MAX 10

/* In a property, ':' and ',' would end it; everywhere a line end would end the command. */
static void add_escaped(struct text *t, const char *s, bool property)
{
	const char *special = property ? "%\r\n:," : "%\r\n";

	for (; *s; s++) {
		if (strchr(special, *s))
			text_addf(t, "%%%02X", (unsigned char)*s);
		else
			text_add_bytes(t, s, 1);
	}
}

static void add_property(struct text *t, const char **separator, const char *name, const char *value)
{
	text_addf(t, "%s%s=", *separator, name);
	add_escaped(t, value, true);
	*separator = ",";
}

static void add_number(struct text *t, const char *name, int64_t number)
{
	if (number > 0)
		text_addf(t, ",%s=%" PRId64, name, number);
}

static void add_item(struct text *t, const struct unexpected_item *i, bool compared)
{
	bool fresh = compared && i->rank == UNEXPECTED_NEW;
	struct text title auto_text = {0};
	const char *separator = " ";

	text_addf(&title, "%s%s %s", fresh ? "new " : "", i->label, *i->name ? i->name : "of the run");
	text_add(t, "::error");
	if (*i->path) {
		add_property(t, &separator, "file", i->path);
		add_number(t, "line", i->line);
		add_number(t, "col", i->col);
	}
	add_property(t, &separator, "title", title.s);
	text_add(t, "::");
	add_escaped(t, *i->message ? i->message : i->label, false);
	if (*i->title) {
		text_add(t, "%0A");
		add_escaped(t, i->title, false);
	}
	text_add(t, "\n");
}

static void on_close(struct report *r)
{
	struct unexpected *u = r->priv;
	size_t i, shown;

	unexpected_end(u);
	if (!u->count) {
		text_add(&r->text, "::notice title=verbatim::");
		unexpected_counts(u->summary, &r->text);
		text_add(&r->text, "\n");
	}
	/* If there are more, the last annotation counts them. */
	shown = u->count > ANNOTATIONS_MAX ? ANNOTATIONS_MAX - 1 : u->count;
	for (i = 0; i < shown; i++)
		add_item(&r->text, &u->item[i], r->opts.earlier);
	if (shown < u->count)
		text_addf(&r->text, "::error title=%zu more::%zu more are not as expected; the summary and the page "
				    "of the job have all of them\n", u->count - shown, u->count - shown);
	unexpected_fini(u);
}

const struct report_ops report_github = {
	.name = "github",
	.doc = "annotations for GitHub Actions, at most ten, new failures first; written when the run ends",
	.priv_size = sizeof(struct unexpected),
	.compares = true,
	.event = unexpected_event,
	.close = on_close,
};
