/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/value.h"
#include "explain/things.h"

#define VENDOR_MIN 128	/* smaller numbers of a vendor are written with 0x */

static bool read_number(const char *text, int64_t *n)
{
	bool hex = !strncasecmp(text + (*text == '-'), "0x", 2);
	char *end;

	*n = strtoll(text, &end, hex ? 16 : 10);
	return end != text && !*end && !strchr(" \t+", *text);
}

bool explain_is_number(const char *text)
{
	int64_t n;

	return read_number(text, &n);
}

void explain_brief(struct value *list, const struct const_set *set, int64_t value)
{
	const struct explained_set *said = explained_set_of(set);
	const char *name = const_name(set, value);
	const struct explanation *e = name && said ? explanation_find(said->entry, name) : NULL;
	struct value *m;

	if (!name || !said)
		return;
	m = value_map();
	value_set(m, "name", value_format_string("%s%s", set->prefix, name));
	value_set_int(m, "value", value);
	value_set_string(m, "what", said->what);
	if (e)
		explain_words_set(m, e);
	value_set(m, "more", value_format_string("verbatim explain %s%s", set->prefix, name));
	explain_take(list, m);
}

void explain_reason(struct value *list, int64_t value)
{
	const struct explained_number *row = explain_reject;
	struct value *m;

	while (row->said.name && row->value != value)
		row++;
	if (!row->said.name)
		return;
	m = value_map();
	value_set_string(m, "name", row->said.name);
	value_set_int(m, "value", value);
	value_set_string(m, "what", "status of RDMA_CM_EVENT_REJECTED");
	explain_words_set(m, &row->said);
	explain_take(list, m);
}

int64_t explain_vendor_status(int64_t value)
{
	const struct vendor_number *row = explain_vendor;

	while (row->status && row->value != value)
		row++;
	return row->status ? (int64_t)row->status : -1;
}

static void explain_vendor_number(struct value *list, int64_t value)
{
	int64_t status = explain_vendor_status(value);
	const struct explanation *e;
	struct value *m;

	if (status < 0)
		return;
	e = explanation_find(explain_wc_status, const_name(&const_wc_status, status));
	m = value_map();
	value_set(m, "name", value_format_string("0x%02x", (unsigned int)value));
	value_set_string(m, "what", "number that mlx5 has beside a status of a work completion");
	value_set(m, "meaning", value_format_string("IBV_WC_%s: %s", e->name, e->meaning));
	value_set_string(m, "cause", e->cause);
	value_set(m, "check", e->check ? value_string(e->check) : value_null());
	value_set(m, "more", value_format_string("verbatim explain IBV_WC_%s", e->name));
	explain_take(list, m);
}

void explain_number(struct value *list, const char *text)
{
	/* What reports print as numbers, the most frequent first. */
	const struct const_set *const sets[] = {
		&const_wc_status, &const_cm_event, &const_async_event, &const_qp_state, &const_mtu,
	};
	int64_t n;
	size_t i;

	if (!read_number(text, &n))
		return;
	if (n)
		explain_brief(list, &const_errno, n < 0 ? -n : n);
	if (n < 0)
		explain_brief(list, &const_return, n);
	for (i = 0; n >= 0 && i < sizeof(sets) / sizeof(*sets); i++)
		explain_brief(list, sets[i], n);
	explain_reason(list, n);
	if (n >= VENDOR_MIN || strchr(text, 'x') || strchr(text, 'X'))
		explain_vendor_number(list, n);
}
