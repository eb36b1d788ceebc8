/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "compile/fit.h"

static size_t combinations(const struct value *vary)
{
	size_t i, n = 1;

	for (i = 0; vary && i < vary->map.count; i++)
		n *= vary->map.member[i].value->list.count;
	return n;
}

/* The last variable of the file turns fastest. */
static struct value *combination(const struct value *vary, size_t index)
{
	struct value *vars = value_map();
	const struct value_member *m;
	size_t i, rest = combinations(vary);

	for (i = 0; vary && i < vary->map.count; i++) {
		m = &vary->map.member[i];
		rest /= m->value->list.count;
		value_add_at(vars, m->key, m->pos,
			     value_dup(m->value->list.item[index / rest % m->value->list.count]));
	}
	return vars;
}

static char *variant_name(const char *id, const struct value *vars)
{
	char *s = NULL, *text;
	size_t n = 0, i;
	FILE *f;

	if (!vars->map.count)
		return xstrdup(id);
	f = open_memstream(&s, &n);
	if (!f)
		return xstrdup(id);
	fprintf(f, "%s[", id);
	for (i = 0; i < vars->map.count; i++) {
		text = fit_scalar_text(vars->map.member[i].value);
		fprintf(f, "%s%s=%s", i ? "," : "", vars->map.member[i].key, text);
		free(text);
	}
	fputc(']', f);
	fclose(f);
	return s;
}

void scenario_variants(const struct scenario *s, struct variants *out)
{
	size_t i;

	out->count = combinations(s->vary);
	out->item = xcalloc(out->count, sizeof(*out->item));
	for (i = 0; i < out->count; i++) {
		out->item[i].vars = combination(s->vary, i);
		out->item[i].name = variant_name(s->id, out->item[i].vars);
	}
}

void variants_fini(struct variants *v)
{
	size_t i;

	for (i = 0; i < v->count; i++) {
		free(v->item[i].name);
		value_free(v->item[i].vars);
	}
	free(v->item);
	*v = (struct variants){0};
}
