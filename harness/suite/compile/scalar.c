/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "compile/compile.h"

const char *scalar_text(struct compiler *c, const char *key, const struct value *v)
{
	if (v->type == VALUE_STRING && *v->s)
		return v->s;
	diag_add(c->diag, v->pos,
		 v->type == VALUE_INT || v->type == VALUE_BOOL
			 ? xstrdup("quote it if it is meant as text") : NULL,
		 "'%s' takes a text", key);
	return NULL;
}

bool scalar_is_one_of(const struct value *list, const struct value *v)
{
	auto_free char *text = fit_scalar_text(v);
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		auto_free char *one = fit_scalar_text(list->list.item[i]);

		if (strcmp(one, text) == 0)
			return true;
	}
	return false;
}
