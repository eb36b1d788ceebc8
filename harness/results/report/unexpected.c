/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/unexpected.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"

/* A copy of @s, which is UTF-8, of at most @max bytes; never cut inside a character. */
static char *copy_limited(const char *s, size_t max)
{
	size_t n = strlen(s);

	if (n <= max)
		return xstrdup(s);
	for (n = max; n && (s[n] & 0xc0) == 0x80; n--)
		;
	return xasprintf("%.*s...", (int)n, s);
}

static struct unexpected_item *add_unexpected(struct unexpected *u, enum unexpected_rank rank, const char *label)
{
	GROW(u->item, u->count);
	u->item[u->count] = (struct unexpected_item){.rank = rank, .label = label};
	return &u->item[u->count++];
}

static char *visible_cut(const char *s)
{
	struct text visible auto_text = {0};

	text_add_visible(&visible, s);
	return copy_limited(visible.len ? visible.s : "", UNEXPECTED_MESSAGE_MAX);
}

static void on_error(struct unexpected *u, const char *message)
{
	struct unexpected_item *i = add_unexpected(u, u->errors++ ? UNEXPECTED_ERROR : UNEXPECTED_FIRST, "error");

	i->name = xstrdup("");
	i->title = xstrdup("");
	i->path = xstrdup("");
	i->message = visible_cut(message);
	i->details = xstrdup("");
}

static enum unexpected_rank rank_of(const char *name, const struct report_options *opts)
{
	enum verdict before = opts->earlier ? opts->earlier(opts->earlier_run, name) : VERDICT_COUNT;

	return before == VERDICT_COUNT || verdict_is_expected(before) ? UNEXPECTED_NEW : UNEXPECTED_AGAIN;
}

static void on_variant(struct unexpected *u, const struct report_options *opts)
{
	const struct report_variant *v = &u->now;
	const struct value *fail = v->fails.count ? v->fails.item[0] : NULL;
	struct text line auto_text = {0}, details auto_text = {0};
	struct unexpected_item *i;

	if (!report_variant_is_bad(v))
		return;
	i = add_unexpected(u, rank_of(report_variant_name(v), opts), verdict_name(v->verdict));
	u->fresh += i->rank == UNEXPECTED_NEW;
	i->name = xstrdup(report_variant_name(v));
	i->title = visible_cut(event_string(v->begin, "title"));
	i->path = xstrdup(report_variant_path(v));
	if (fail && *i->path) {
		i->line = event_integer(fail, "line");
		i->col = event_integer(fail, "col");
	}
	if (fail && v->verdict == VERDICT_FAIL)
		report_variant_fail_line(v, fail, &line);
	i->message = visible_cut(line.len ? line.s : report_variant_reason(v));
	report_variant_details(v, "", 0, &details);
	i->details = copy_limited(details.len ? details.s : "", UNEXPECTED_DETAILS_MAX);
}

void unexpected_event(struct report *r, const struct value *event)
{
	auto_free char *trouble = report_trouble(event);
	struct unexpected *u = r->priv;

	if (trouble)
		on_error(u, trouble);
	if (event_is(event, "summary")) {
		value_free(u->summary);
		u->summary = value_dup(event);
	}
	if (report_variant_event(&u->now, event))
		on_variant(u, &r->opts);
}

const char *unexpected_unexplained(const struct value *summary)
{
	const struct value *counts = event_map(summary, "counts");
	int64_t skipped = value_get_int(counts, verdict_name(VERDICT_SKIP), 0);

	if (skipped && skipped == event_integer(summary, "total"))
		return "nothing was shown, because every scenario was skipped";
	return "the run did not end with status 0, and no scenario says why; what it printed does";
}

/* Puts the items of each rank behind each other; within a rank the order of the run stays. */
static void sort(struct unexpected *u)
{
	struct unexpected_item *sorted = xcalloc(u->count + 1, sizeof(*sorted));
	size_t i, n = 0;
	int rank;

	for (rank = UNEXPECTED_FIRST; rank <= UNEXPECTED_AGAIN; rank++)
		for (i = 0; i < u->count; i++)
			if (u->item[i].rank == (enum unexpected_rank)rank)
				sorted[n++] = u->item[i];
	free(u->item);
	u->item = sorted;
}

void unexpected_end(struct unexpected *u)
{
	if (!u->summary)
		on_error(u, "the run stopped before its end");
	else if (event_integer(u->summary, "exit") && !u->count)
		on_error(u, unexpected_unexplained(u->summary));
	sort(u);
}

void unexpected_counts(const struct value *summary, struct text *out)
{
	int64_t ms = event_integer(summary, "took_ms");

	report_add_counts(out, summary, NULL);
	text_addf(out, " in %" PRId64 ".%" PRId64 " s", ms / 1000, ms / 100 % 10);
}

void unexpected_fini(struct unexpected *u)
{
	size_t i;

	for (i = 0; i < u->count; i++) {
		free(u->item[i].name);
		free(u->item[i].title);
		free(u->item[i].path);
		free(u->item[i].message);
		free(u->item[i].details);
	}
	free(u->item);
	value_free(u->summary);
	report_variant_fini(&u->now);
}
