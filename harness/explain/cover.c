/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/cover.h"

#include <string.h>
#include <strings.h>

#include "base/value.h"
#include "coverage/edges.h"

void explain_cover_set(struct value *m, const struct cover_row *row)
{
	const struct coverage_note *note = row ? row->note : NULL;

	value_set(m, "cover", row ? value_string(cover_name(row->cover)) : value_null());
	value_set(m, "where", note ? value_string(note->where) : value_null());
	value_set(m, "why", note ? value_string(note->why) : value_null());
}

struct value *explain_cover_scenarios(const struct cover_row *row)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; row && i < row->scenario_count; i++)
		value_append(list, value_string(row->scenario[i]));
	return list;
}

const struct cover_row *explain_cover_constant(const struct coverage *c, const struct const_set *set,
					       int64_t value, const char *call)
{
	const struct code *code;
	size_t i;

	for (i = 0; i < c->codes.count; i++) {
		code = &c->codes.item[i];
		if (code->set == set && code->value == value &&
		    (call ? code->call && !strcmp(code->call, call) : !code->call))
			return &c->code[i];
	}
	return NULL;
}

static bool is_edge(const struct coverage *c, size_t i)
{
	return c->codes.item[i].set == &edge_set;
}

/* @row->name is "UC:SQE-RTS". */
static struct value *edge_json(const struct cover_row *row)
{
	const char *from = strchr(row->name, ':') + 1, *to = strchr(from, '-') + 1;
	struct value *m = value_map();

	value_set_string(m, "name", row->name);
	value_set_string(m, "what", "transition of queue pairs");
	value_set(m, "meaning",
		  value_format_string("A queue pair of type %.*s goes from %.*s to %s.",
				      (int)(from - 1 - row->name), row->name, (int)(to - 1 - from), from, to));
	explain_cover_set(m, row);
	value_set(m, "scenarios", explain_cover_scenarios(row));
	return m;
}

void explain_cover_edges(struct value *list, const struct coverage *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->code_count; i++)
		if (is_edge(c, i) && !strcasecmp(c->code[i].name, name))
			value_append(list, edge_json(&c->code[i]));
}

void explain_cover_suggest(struct suggestion *best, const struct coverage *c)
{
	size_t i;

	for (i = 0; i < c->code_count; i++)
		if (is_edge(c, i))
			suggest_offer(best, c->code[i].name);
}
