/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"

static bool makes(const struct export *x, const struct item *item, enum object_kind kind)
{
	return item->actor == export_item(x)->actor && item->kind->makes == kind;
}

static const char *name_of(const struct item *item)
{
	const char *usual = step_default_name(item->kind->makes);

	return item->as ? item->as : usual ? usual : "";
}

const struct item *export_maker(struct export *x, const char *arg, enum object_kind kind)
{
	const char *wanted = value_get_string(export_item(x)->args, arg, NULL), *usual = step_default_name(kind);
	const struct item *item, *only = NULL;
	size_t i;

	export_ignore_arg(x, arg);
	/* The latest one of that name, else the only one. */
	for (i = x->at; i-- > 0;) {
		item = &x->v->items[i];
		if (!makes(x, item, kind))
			continue;
		if (!strcmp(name_of(item), wanted ? wanted : usual ? usual : ""))
			return item;
		only = wanted ? NULL : item;
	}
	return only;
}

char *export_object(struct export *x, const char *arg, enum object_kind kind)
{
	const struct item *maker = export_maker(x, arg, kind);

	if (!maker) {
		export_refuse(x, "the object of '%s', which no step before makes", arg);
		return xstrdup("0");
	}
	return xasprintf("%c_%s", export_host(x), name_of(maker));
}

char *export_made(struct export *x, const char *type)
{
	char *variable = xasprintf("%c_%s", export_host(x), name_of(export_item(x)));
	const char *known = value_get_string(x->objects, variable, NULL);

	if (known && strcmp(known, type))
		export_refuse(x, "'%s' is the name of objects of two kinds", name_of(export_item(x)));
	value_set_string(x->objects, variable, type);
	return variable;
}
