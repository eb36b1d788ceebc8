/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "compile/compile.h"

/* Fields with milliseconds of this machine's clock. */
static bool is_time(const char *field)
{
	return strcmp(field, "elapsed_ms") == 0 || strcmp(field, "since_post_ms") == 0;
}

static bool time_is_virtual(const struct variant *v)
{
	size_t i;

	for (i = 0; i < v->needs->list.count; i++)
		if (strcmp(v->needs->list.item[i]->s, "time=virtual") == 0)
			return true;
	return false;
}

static void warn_limits(struct compiler *c, const struct value *expect)
{
	const struct value_member *m;
	size_t i;

	for (i = 0; expect && expect->type == VALUE_MAP && i < expect->map.count; i++) {
		m = &expect->map.member[i];
		if (is_time(m->key) && m->value->type == VALUE_MAP && value_get(m->value, "max"))
			diag_warn(c->diag, m->value->pos, "a busy machine may take longer: limit the step by "
				  "'deadline:', which a slow machine multiplies, or ask for 'requires: time=virtual'");
	}
}

void busy_check(struct compiler *c)
{
	const struct variant *v = c->v;
	const struct value *outcomes;
	size_t i, k;

	if (time_is_virtual(v))
		return;
	for (i = 0; i < v->item_count; i++) {
		warn_limits(c, v->items[i].expect);
		outcomes = v->items[i].outcomes;
		for (k = 0; outcomes && k < outcomes->list.count; k++)
			warn_limits(c, outcomes->list.item[k]);
	}
}
