/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "base/choice.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "report/report.h"

/* The format that prints the events themselves. */
static void on_event(struct report *r, const struct value *event)
{
	const struct text *line;

	if (event_is(event, "progress"))
		return;
	line = event_line_text(r->line);
	text_add_bytes(&r->text, line->s, line->len);
}

static const struct report_ops report_json = {
	.name = "json",
	.doc = "every event as a line of JSON, as it happens",
	.event = on_event,
};

const struct report_ops *const report_table[] = {
	&report_pretty,
	&report_tap,
	&report_ktap,
	&report_junit,
	&report_github,
	&report_markdown,
	&report_json,
	NULL,
};

const struct report_ops *report_find(const char *name)
{
	return report_table[choice_find(report_name, name)];
}

const char *report_name(size_t i)
{
	return report_table[i] ? report_table[i]->name : NULL;
}

struct report *report_open(const struct report_ops *ops, const struct report_options *opts)
{
	struct report *r = xcalloc(1, sizeof(*r));

	r->ops = ops;
	r->opts = *opts;
	r->priv = xcalloc(1, ops->priv_size + 1);
	if (ops->open)
		ops->open(r);
	return r;
}

/* Flushes the file, so that a full disk is noticed at once. */
static int write_out(struct report *r)
{
	int rc = 0;

	if (r->text.len == 0)
		return 0;
	errno = 0;
	if (fwrite(r->text.s, 1, r->text.len, r->opts.out) != r->text.len ||
	    fflush(r->opts.out) != 0)
		rc = errno ? -errno : -EIO;
	text_clear(&r->text);
	return rc;
}

int report_line(struct report *r, struct event_line *line)
{
	r->line = line;
	r->ops->event(r, line->event);
	return line->more && r->text.len < EVENT_LINES_MAX ? 0 : write_out(r);
}

int report_event(struct report *r, const struct value *event)
{
	struct event_line line = {.event = event};
	int rc = report_line(r, &line);

	event_line_fini(&line);
	return rc;
}

int report_close(struct report *r)
{
	int rc;

	if (r->ops->close)
		r->ops->close(r);
	rc = write_out(r);
	text_fini(&r->text);
	free(r->priv);
	free(r);
	return rc;
}
