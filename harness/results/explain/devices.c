/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/explain.h"

#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "coverage/lacking.h"
#include "names/device-types.h"

/* A constant, or another code; not an errno of one call. */
static const struct cover_row *row_of_code(const struct coverage *c, const struct value *m, const char *name)
{
	const struct code *code;
	size_t i;

	for (i = 0; i < c->codes.count; i++) {
		code = &c->codes.item[i];
		if (!code->call && !strcmp(code->name, name) && value_get_int(m, "value", code->value) == code->value)
			return &c->code[i];
	}
	return NULL;
}

static const struct cover_row *row_of(const struct coverage *c, const struct value *m)
{
	const char *name = value_get_string(m, "name", "");
	const struct cover_row *row = coverage_clause(c, name);

	return row ? row : row_of_code(c, m, name);
}

static struct value *findings_of(const struct survey *s, const char *clause, const struct device_type *device)
{
	struct value *list = value_list();
	const struct finding *d;
	size_t i;

	for (i = 0; i < s->findings.count; i++) {
		d = &s->findings.item[i];
		if (finding_is_about(d, clause) && survey_finding_holds(s, d, NULL, device))
			value_append(list, value_string(d->name));
	}
	return list;
}

static struct value *verdict_of(const struct value *m, const struct survey *s, const char *clause,
				const struct device_type *device)
{
	const struct cover_filter filter = {.device = device};
	struct value *v = value_map();
	const struct cover_row *row;
	struct coverage c;

	coverage_make(&c, s, &filter);
	row = row_of(&c, m);
	value_set_string(v, "device", device->name);
	value_set_string(v, "cover", cover_name(row->cover));
	value_set_int(v, "scenarios", (int64_t)row->scenario_count);
	value_set(v, "needs", row->lacks ? value_string_take(lacking_remedy(row->lacks)) : value_null());
	value_set(v, "findings", findings_of(s, clause, device));
	coverage_fini(&c);
	return v;
}

static int add_device(struct value *list, const struct value *m, const struct survey *s, const struct cover_row *row,
		      const struct device_type *device, struct vbm_error *err)
{
	struct text problems auto_text = {0};
	struct survey part;
	int rc = survey_part(&part, s, device, row->scenario, row->scenario_count, &problems, err);

	if (rc == 0)
		value_append(list, verdict_of(m, &part, row->name, device));
	survey_part_fini(&part);
	return rc;
}

int explain_devices_add(struct value *matches, const struct survey *s, const struct coverage *c, struct vbm_error *err)
{
	const char *name;
	int rc = 0;
	size_t i, k;

	for (i = 0; i < matches->list.count; i++) {
		struct value *m = matches->list.item[i], *list;
		const struct cover_row *row = value_get(m, "cover") ? row_of(c, m) : NULL;

		if (!row || !row->scenario_count)
			continue;
		list = value_list();
		for (k = 0; rc == 0 && (name = device_type_name(k)); k++)
			rc = add_device(list, m, s, row, device_type_find(name), err);
		value_set(m, "by_device", list);
	}
	return rc;
}
