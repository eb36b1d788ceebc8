/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix/results.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"
#include "event/read.h"
#include "names/device-types.h"

/* A run of an older version does not say the type, and had devices of the default one. */
static const char *device_of(const struct cell_result *c)
{
	return event_string_or(c->run.summary, "device", device_type_or_default(NULL)->name);
}

static void put_line(struct text *t, const struct value *v)
{
	auto_free char *text = json_write(v);

	text_addf(t, "%s\n", text);
}

static void put_cell(struct text *t, const struct results *r, size_t cell, int64_t number)
{
	static const char *const members[] = {"kernel", "rdma_core", "lane", "target"};
	const struct cell_result *c = &r->cell[cell];
	auto_value struct value *line = value_map();
	struct value *counts = value_map();
	size_t i;

	value_set_int(line, "cell", number);
	value_set_string(line, "name", r->matrix->cell[cell].name);
	for (i = 0; i < ARRAY_SIZE(members); i++)
		value_set_string(line, members[i], event_string(c->run.summary, members[i]));
	value_set_string(line, "layout", event_string_or(c->run.summary, "layout", "none"));
	value_set_string(line, "device", device_of(c));
	for (i = 0; i < VERDICT_COUNT; i++)
		if (c->count[i])
			value_set_int(counts, verdict_name((enum verdict)i), (int64_t)c->count[i]);
	value_set(line, "counts", counts);
	put_line(t, line);
}

static bool shows(const struct stored_variant *v, const char *finding)
{
	size_t i;

	for (i = 0; v->findings && i < v->findings->list.count; i++)
		if (!strcmp(v->findings->list.item[i]->s, finding))
			return true;
	return false;
}

/* Adds the cell's number to the list that it belongs to, if it can tell. Devices of another type cannot. */
static void classify_cell(const struct cell_result *c, const struct finding *d, int64_t number, struct value *in,
			  struct value *not_in)
{
	bool shown = false, passed = false;
	size_t i;

	if (!finding_is_of_device(d, device_of(c)))
		return;
	for (i = 0; i < c->run.count && !shown; i++) {
		const struct stored_variant *v = &c->run.item[i];

		shown = shows(v, d->name);
		passed |= (v->verdict == VERDICT_PASS || v->verdict == VERDICT_XPASS) && finding_names(d, v->name);
	}
	if (shown)
		value_append(in, value_int(number));
	else if (passed)
		value_append(not_in, value_int(number));
}

static void put_finding(struct text *t, const struct results *r, const struct finding *d)
{
	struct value *in = value_list(), *not_in = value_list();
	auto_value struct value *line = value_map();
	int64_t number = 0;
	size_t i;

	value_set_string(line, "finding", d->name);
	value_set(line, "in", in);
	value_set(line, "not_in", not_in);
	for (i = 0; i < r->matrix->cells; i++)
		if (r->cell[i].state == CELL_RAN)
			classify_cell(&r->cell[i], d, ++number, in, not_in);
	if (in->list.count || not_in->list.count)
		put_line(t, line);
}

void matrix_record(struct text *t, const struct results *r, const struct findings *findings)
{
	auto_value struct value *head = value_map();
	int64_t number = 0;
	size_t i;

	value_set_string(head, "matrix", r->matrix->title);
	put_line(t, head);
	for (i = 0; i < r->matrix->cells; i++)
		if (r->cell[i].state == CELL_RAN)
			put_cell(t, r, i, ++number);
	for (i = 0; i < findings->count; i++)
		put_finding(t, r, &findings->item[i]);
}
