/* SPDX-License-Identifier: BSD-2-Clause */
#include "variant.h"

#include "../unit/cmocka_all.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"

static void complete(struct value *items)
{
	size_t i;

	for (i = 0; i < items->list.count; i++) {
		struct value *item = items->list.item[i];

		if (!value_get(item, "args"))
			value_set(item, "args", value_map());
		if (!value_get(item, "deadline_ms"))
			value_set_int(item, "deadline_ms", 1000);
	}
}

void make_variant(struct plan *plan, const char *actors, const char *items)
{
	auto_free char *text = xasprintf(
		"{'verbatim-plan': 1, 'variants': [{'number': 0, 'name': 'x', 'id': 'x', 'title': '',"
		" 'path': 'x.yaml', 'clauses': [], 'specs': [], 'needs': [], 'hosts': 2, 'ip': 4,"
		" 'services': {}, 'actors': %s, 'items': %s}]}", actors, items);
	auto_value struct value *v = NULL;
	struct vbm_error err = {0};
	char *c;

	for (c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	v = json_read(text, strlen(text), &err);
	if (!v)
		fail_msg("%s", err.msg);
	complete(value_get(value_get(v, "variants")->list.item[0], "items"));
	if (plan_from_value(plan, v, &err) < 0)
		fail_msg("%s", err.msg);
}
