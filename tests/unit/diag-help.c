/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "diag-help.h"
#include "compile/scenario.h"
#include "base/xalloc.h"
#include "base/yaml.h"

void hear(struct heard *h, struct diagnostics *diag)
{
	const struct diagnostic *first = diag->item;

	*h = (struct heard){.count = (int)diag->count};
	if (diag->count)
		snprintf(h->text, sizeof(h->text), "%s%s%s%s", first->message,
			 first->hint ? " (" : "", first->hint ? first->hint : "",
			 first->hint ? ")" : "");
	diagnostics_fini(diag);
}

struct value *must_read_json(const char *text)
{
	struct value *v = json_read(text, strlen(text), NULL);

	assert_non_null(v);
	return v;
}

struct value *must_read_yaml(const char *text)
{
	struct diagnostics diag = {0};
	struct value *v = yaml_read(text, strlen(text), &diag);

	diagnostics_fini(&diag);
	assert_non_null(v);
	return v;
}

void make_references(struct value **slot)
{
	struct value *v = *slot;
	size_t i;

	if (v->type == VALUE_STRING && v->s[0] == '$') {
		*slot = value_expr_take(xstrdup(v->s));
		value_free(v);
		return;
	}
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		make_references(&v->list.item[i]);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		make_references(&v->map.member[i].value);
}

void must_have_heard(const struct heard *h, const char *text, const char *complaint)
{
	if (!strstr(h->text, complaint))
		fail_msg("%s: '%s' has no '%s'", text, h->text, complaint);
}
