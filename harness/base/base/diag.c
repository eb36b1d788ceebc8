/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

int diag_add_file(struct diagnostics *d, const char *path)
{
	size_t n = (size_t)d->file_count;

	GROW(d->files, n);
	d->files[n] = xstrdup(path);
	return ++d->file_count;
}

static bool is_same_diagnostic(const struct diagnostic *a, const struct diagnostic *b)
{
	return a->pos.line == b->pos.line && a->pos.col == b->pos.col &&
	       a->pos.file == b->pos.file && a->use.line == b->use.line &&
	       strcmp(a->message, b->message) == 0;
}

static void fini_one(struct diagnostic *item)
{
	free(item->message);
	free(item->hint);
	free(item->file);
	free(item->within);
}

static void add_diagnostic(struct diagnostics *d, struct diagnostic **list, size_t *count,
			   struct diagnostic item)
{
	size_t i;

	if (item.pos.file > 0 && item.pos.file <= d->file_count) {
		item.file = xstrdup(d->files[item.pos.file - 1]);
		item.use = d->use;
	} else if (d->within) {
		item.within = xasprintf("%s:%d", d->within, d->within_pos.line);
	}
	for (i = 0; i < *count; i++)
		if (is_same_diagnostic(&(*list)[i], &item))
			break;
	if (i < *count || *count >= DIAGNOSTICS_MAX) {
		fini_one(&item);
		return;
	}
	GROW(*list, *count);
	(*list)[(*count)++] = item;
}

void diag_add(struct diagnostics *d, struct pos pos, char *hint, const char *fmt, ...)
{
	struct diagnostic item = {.pos = pos, .hint = hint};
	va_list ap;

	va_start(ap, fmt);
	item.message = xvasprintf(fmt, ap);
	va_end(ap);
	d->said++;
	add_diagnostic(d, &d->item, &d->count, item);
}

void diag_warn(struct diagnostics *d, struct pos pos, const char *fmt, ...)
{
	struct diagnostic item = {.pos = pos};
	va_list ap;

	va_start(ap, fmt);
	item.message = xvasprintf(fmt, ap);
	va_end(ap);
	add_diagnostic(d, &d->warning, &d->warning_count, item);
}

bool diag_spares(const struct diagnostics *d, const struct value *v)
{
	return d->references && v->type == VALUE_EXPR;
}

char *diag_did_you_mean(const char *name)
{
	return suggest_hint(name);
}

void diagnostics_fini(struct diagnostics *d)
{
	size_t i;
	int k;

	for (i = 0; i < d->count; i++)
		fini_one(&d->item[i]);
	for (i = 0; i < d->warning_count; i++)
		fini_one(&d->warning[i]);
	for (k = 0; k < d->file_count; k++)
		free(d->files[k]);
	free(d->files);
	free(d->item);
	free(d->warning);
	*d = (struct diagnostics){0};
}

/* The position at which the author of the scenario should look. */
static struct pos position_of(const struct diagnostic *item)
{
	return item->file ? item->use : item->pos;
}

static bool before(struct pos a, struct pos b)
{
	return a.line != b.line ? a.line < b.line : a.col < b.col;
}

/* Insertion sort: stable, and the list is short. */
void diagnostics_sort(struct diagnostics *d)
{
	struct diagnostic item;
	size_t i, k;

	for (i = 1; i < d->count; i++) {
		item = d->item[i];
		for (k = i; k > 0 && before(position_of(&item), position_of(&d->item[k - 1])); k--)
			d->item[k] = d->item[k - 1];
		d->item[k] = item;
	}
}

/* Paths and messages may contain text that somebody else wrote. */
static void __attribute__((format(printf, 2, 3))) put_line(FILE *f, const char *fmt, ...)
{
	auto_free char *line = NULL, *shown = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	shown = visible_line(line);
	fprintf(f, "%s\n", shown);
}

static void print_one(FILE *f, const struct diagnostic *item, const char *path, const char *kind)
{
	put_line(f, "%s:%d:%d: %s: %s%s%s%s%s%s%s", item->file ? item->file : path,
		 item->pos.line, item->pos.col, kind, item->message,
		 item->hint ? " (" : "", item->hint ? item->hint : "", item->hint ? ")" : "",
		 item->within ? " [in " : "", item->within ? item->within : "",
		 item->within ? "]" : "");
	if (item->file && item->use.line)
		put_line(f, "%s:%d:%d: note: the fragment is used here", path, item->use.line,
			 item->use.col);
}

char *diagnostics_format(const struct diagnostics *d, const char *path)
{
	char *s = NULL;
	size_t n = 0, i;
	FILE *f = open_memstream(&s, &n);

	if (!f)
		return xstrdup("");
	for (i = 0; i < d->count; i++)
		print_one(f, &d->item[i], path, "error");
	for (i = 0; i < d->warning_count; i++)
		print_one(f, &d->warning[i], path, "warning");
	if (d->count >= DIAGNOSTICS_MAX)
		put_line(f, "%s: there may be more errors; these are the first %d", path,
			 DIAGNOSTICS_MAX);
	fclose(f);
	return s;
}

int diagnostics_fail(const struct diagnostics *d, struct vbm_error *err)
{
	const struct diagnostic *first = &d->item[0];
	/* Values from JSON have no lines. */
	auto_free char *line = first->pos.line ? xasprintf("line %d: ", first->pos.line) :
						 xstrdup("");

	return vbm_fail(err, EINVAL, "%s%s%s%s%s", line, first->message,
			first->hint ? " (" : "", first->hint ? first->hint : "",
			first->hint ? ")" : "");
}
