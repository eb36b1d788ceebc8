/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/clause-filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/match.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "catalogue/source.h"

void clause_filter_init(struct clause_filter *f, char *const *glob, size_t count)
{
	*f = (struct clause_filter){.glob = glob, .count = count, .met = xcalloc(count + 1, sizeof(*f->met))};
}

void clause_filter_fini(struct clause_filter *f)
{
	clauses_fini(&f->clauses);
	free(f->root);
	free(f->met);
	*f = (struct clause_filter){0};
}

/* Reads the catalogue of @root, unless it is the one that was read last. */
static void read_catalogue(struct clause_filter *f, const char *root)
{
	struct vbm_error err;

	if (f->root && !strcmp(f->root, root))
		return;
	clauses_fini(&f->clauses);
	free(f->root);
	f->root = xstrdup(root);
	if (clauses_load(&f->clauses, root, &err) < 0)
		visible_complain("%s", err.msg);
}

/* The names of a clause: its id and, if @clauses has it, its statements. */
static void add_names(struct string_list *names, const struct clauses *clauses, const char *id)
{
	const struct clause *clause = clauses ? clause_find(clauses, id) : NULL;

	string_list_add(names, id);
	if (clause)
		sources_statements(names, clause->source);
}

bool clause_filter_matches(struct clause_filter *f, const char *root, const struct variant *v)
{
	struct string_list names auto_string_list = {0};
	bool any = f->count == 0;
	size_t i, k;

	if (any)
		return true;
	if (root)
		read_catalogue(f, root);
	for (i = 0; i < v->clauses->list.count; i++)
		add_names(&names, root ? &f->clauses : NULL, v->clauses->list.item[i]->s);
	for (i = 0; i < f->count; i++)
		for (k = 0; k < names.count; k++)
			if (match_name(f->glob[i], names.item[k]))
				f->met[i] = any = true;
	return any;
}

const char *clause_filter_unmet(const struct clause_filter *f)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if (!f->met[i])
			return f->glob[i];
	return NULL;
}
