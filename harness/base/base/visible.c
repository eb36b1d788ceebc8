/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/visible.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"

char *visible_line(const char *s)
{
	struct text t = {0};

	text_add_visible_line(&t, s);
	return t.s ? t.s : xstrdup("");
}

FILE *visible_begin(struct visible *v, FILE *to)
{
	*v = (struct visible){.to = to};
	v->stream = open_memstream(&v->text, &v->len);
	if (!v->stream)
		abort();	/* out of memory */
	return v->stream;
}

void visible_put(const char *text, FILE *to)
{
	struct text t auto_text = {0};

	text_add_visible(&t, text);
	if (t.s)
		fputs(t.s, to);
}

void visible_end(struct visible *v)
{
	fclose(v->stream);
	visible_put(v->text, v->to);
	free(v->text);
}

void visible_complain(const char *fmt, ...)
{
	auto_free char *message = NULL;
	struct text t auto_text = {0};
	va_list ap;

	va_start(ap, fmt);
	message = xvasprintf(fmt, ap);
	va_end(ap);
	/* One write, because other processes write to the same terminal. */
	text_add(&t, "verbatim: ");
	text_add_visible(&t, message);
	text_add(&t, "\n");
	fputs(t.s, stderr);
}
