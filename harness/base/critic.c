/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/critic.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "fail.h"

void critic_keep_first(void *arg, struct pos pos, const char *text)
{
	struct vbm_error *err = arg;

	if (!err->code)
		vbm_fail(err, EINVAL, "line %d: %s", pos.line, text);
}

void critic_say(struct critic *critic, struct pos pos, const char *fmt, ...)
{
	auto_free char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	va_end(ap);
	critic->failed = true;
	critic->say(critic->arg, pos, text);
}

bool critic_spares(const struct critic *critic, const struct value *v)
{
	return critic->references && v->type == VALUE_EXPR;
}
