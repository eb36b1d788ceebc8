/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

const struct item *export_item(const struct export *x)
{
	return &x->v->items[x->at];
}

char export_host(const struct export *x)
{
	return x->v->actors[export_item(x)->actor].name[0];
}

void export_refuse(struct export *x, const char *fmt, ...)
{
	const struct item *item = export_item(x);
	auto_free char *why = NULL;
	va_list ap;

	if (x->rc < 0)
		return;
	va_start(ap, fmt);
	why = xvasprintf(fmt, ap);
	va_end(ap);
	x->rc = vbm_fail(x->err, ENOTSUP, "%s:%d:%d: %s.%s: a program in C cannot have %s; leave it out, or send the scenario",
			 x->v->path, item->origin.pos.line, item->origin.pos.col, x->v->actors[item->actor].name,
			 item->kind->name, why);
}

/* The call in the line fails at first, and is made once more: what it returns is its left side. */
static void failing_line(struct export *x, const char *line, size_t left)
{
	auto_free char *made = xstrndup(line, left);

	text_addf(&x->body, "\t\tfail_begin(%s);\n\t\t%s\n\t\tif (fail_end() && %s%s)\n\t\t\t%s\n", x->fail, line,
		  strcmp(made, "ret") ? "!" : "", made, line);
	free(x->fail);
	x->fail = NULL;
}

void export_line(struct export *x, const char *fmt, ...)
{
	auto_free char *line = NULL;
	const char *call;
	va_list ap;

	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	call = strstr(line, " = ibv_");
	if (call && x->fail && x->fail_host == export_host(x))
		failing_line(x, line, (size_t)(call - line));
	else
		text_addf(&x->body, "\t\t%s\n", line);
}
