/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "fail.h"

void diag_add(struct diagnostics *d, struct pos pos, char *hint, const char *fmt, ...)
{
	struct diagnostic *item;
	va_list ap;

	if (d->count >= DIAGNOSTICS_MAX) {
		free(hint);
		return;
	}
	GROW(d->item, d->count);
	item = &d->item[d->count++];
	item->pos = pos;
	item->hint = hint;
	va_start(ap, fmt);
	if (vasprintf(&item->message, fmt, ap) < 0)
		item->message = xstrdup(fmt);
	va_end(ap);
}

char *diag_did_you_mean(const char *name)
{
	return name ? xasprintf("did you mean '%s'?", name) : NULL;
}

static void fini_one(struct diagnostic *item)
{
	free(item->message);
	free(item->hint);
}

void diagnostics_fini(struct diagnostics *d)
{
	size_t i;

	for (i = 0; i < d->count; i++)
		fini_one(&d->item[i]);
	free(d->item);
	*d = (struct diagnostics){0};
}

static bool before(struct pos a, struct pos b)
{
	return a.line != b.line ? a.line < b.line : a.col < b.col;
}

static bool same(const struct diagnostic *a, const struct diagnostic *b)
{
	return a->pos.line == b->pos.line && a->pos.col == b->pos.col &&
	       strcmp(a->message, b->message) == 0;
}

/* Insertion sort: stable, and there are few. */
void diagnostics_sort(struct diagnostics *d)
{
	struct diagnostic item;
	size_t i, k, out = 0;

	for (i = 1; i < d->count; i++) {
		item = d->item[i];
		for (k = i; k > 0 && before(item.pos, d->item[k - 1].pos); k--)
			d->item[k] = d->item[k - 1];
		d->item[k] = item;
	}
	for (i = 0; i < d->count; i++) {
		if (out > 0 && same(&d->item[out - 1], &d->item[i]))
			fini_one(&d->item[i]);
		else
			d->item[out++] = d->item[i];
	}
	d->count = out;
}

char *diagnostics_format(const struct diagnostics *d, const char *path)
{
	const struct diagnostic *item;
	char *s = NULL;
	size_t n = 0, i;
	FILE *f = open_memstream(&s, &n);

	if (!f)
		return xstrdup("");
	for (i = 0; i < d->count; i++) {
		item = &d->item[i];
		fprintf(f, "%s:%d:%d: error: %s", path, item->pos.line, item->pos.col,
			item->message);
		if (item->hint)
			fprintf(f, " (%s)", item->hint);
		fputc('\n', f);
	}
	if (d->count >= DIAGNOSTICS_MAX)
		fprintf(f, "%s: there may be more errors; these are the first %d\n", path,
			DIAGNOSTICS_MAX);
	fclose(f);
	return s;
}

int diagnostics_fail(const struct diagnostics *d, struct vbm_error *err)
{
	const struct diagnostic *first = &d->item[0];

	return vbm_fail(err, EINVAL, "line %d: %s%s%s%s", first->pos.line, first->message,
			first->hint ? " (" : "", first->hint ? first->hint : "",
			first->hint ? ")" : "");
}
