/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/xalloc.h"
#include "compile/compile.h"
#include "compile/scenario.h"
#include "names/device-types.h"
#include "plan/require.h"

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

bool compile_is_need(struct compiler *c, const char *text, struct pos pos)
{
	struct vbm_error err = {0};
	struct require req;

	if (require_parse(&req, text, &err) < 0)
		diag_add(c->diag, pos, NULL, "%s", err.msg);
	else if (!strcmp(req.capability->name, "device"))
		diag_add(c->diag, pos, NULL, "a scenario does not ask for a type of devices, but for what they "
			 "can do, for example 'can=ud'");
	else
		return true;
	return false;
}

#define KEY "connects"

const char *compile_connects(const struct device_type *device)
{
	return device_type_or_default(device)->by_cm ? CONNECTS_BY_CM : CONNECTS_BY_HAND;
}

static bool has_both(const struct value *v)
{
	return v->type == VALUE_MAP && v->map.count == 2 && value_get(v, CONNECTS_BY_HAND) &&
	       value_get(v, CONNECTS_BY_CM);
}

/* Puts the value for the hosts' devices in the place of {connects: {modify_qp: VALUE, rdma_cm: VALUE}}. */
static void choose_value(struct compiler *c, struct value **slot, const struct value *both)
{
	const char *connects = c->in->connects ? c->in->connects : CONNECTS_BY_HAND;
	struct value *chosen;

	if (!has_both(both))
		diag_add(c->diag, both->pos, NULL, "'" KEY "' takes {" CONNECTS_BY_HAND ": VALUE, " CONNECTS_BY_CM ": VALUE}");
	else if (value_equal(value_get(both, CONNECTS_BY_HAND), value_get(both, CONNECTS_BY_CM)))
		diag_add(c->diag, both->pos, NULL, "both values of '" KEY "' are the same");
	chosen = has_both(both) ? value_dup(value_get(both, connects)) : value_string("any");
	value_free(*slot);
	*slot = chosen;
}

void compile_choose_by_device(struct compiler *c, struct value **slot)
{
	struct value *v = *slot;
	const struct value *both = v->type == VALUE_MAP && v->map.count == 1 ? value_get(v, KEY) : NULL;
	size_t i;

	for (i = 0; !both && v->type == VALUE_MAP && i < v->map.count; i++)
		compile_choose_by_device(c, &v->map.member[i].value);
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		compile_choose_by_device(c, &v->list.item[i]);
	if (both)
		choose_value(c, slot, both);
}
