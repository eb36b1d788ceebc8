/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/xalloc.h"
#include "compile/compile.h"
#include "services/services.h"

/* No step has run yet, so the only references are the facts of hosts. */
static void check_references(struct compiler *c, const struct value *v)
{
	size_t i;

	if (v->type == VALUE_EXPR)
		scope_kind_of(&c->scope, v, c->diag);
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		check_references(c, v->list.item[i]);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		check_references(c, v->map.member[i].value);
}

void compile_check_services(struct compiler *c)
{
	const char *key;
	struct value *v;
	size_t i;

	for (i = 0; service_table[i]; i++) {
		key = service_table[i]->key;
		if (!value_get(c->root, key))
			continue;
		v = value_dup(value_get(c->root, key));
		if (compile_expand_value(c, &v)) {
			c->diag->references = true;
			service_table[i]->check(v, c->scope.hosts, c->diag);
			c->diag->references = false;
			check_references(c, v);
		}
		value_set(c->v->services, key, v);
	}
}

void compile_check_services_used(struct compiler *c)
{
	const struct service *needed;
	const struct item *item;
	size_t i;

	for (i = 0; i < c->v->item_count; i++) {
		item = &c->v->items[i];
		needed = service_of_step(item->kind->name);
		if (needed && !value_get(c->v->services, needed->key))
			diag_add(c->diag, item->origin.pos,
				 xasprintf("'%s:' in the head gives it one", needed->key),
				 "%s: this scenario has no %s", item->kind->name, needed->what);
	}
}
