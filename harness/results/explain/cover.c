/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/cover.h"

#include <string.h>
#include <strings.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "coverage/crossings.h"
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

/* "UC:SQE-RTS" */
static struct value *edge_meaning(const char *name)
{
	const char *from = strchr(name, ':') + 1, *to = strchr(from, '-') + 1;

	return value_format_string("A queue pair of type %.*s goes from %.*s to %s.", (int)(from - 1 - name), name,
				   (int)(to - 1 - from), from, to);
}

/* "RC_SEND_FIRST:drop", "REQ:lost" */
static struct value *crossing_meaning(const char *name)
{
	int n = (int)strcspn(name, ":");

	return value_format_string("What a scenario does to a packet %.*s: %s.", n, name, name + n + 1);
}

/* The codes whose sets have no entries of their own. */
static const struct named_set {
	const struct const_set *set;
	const char *what;
	struct value *(*meaning)(const char *name);
} named[] = {
	{&edge_set, "transition of queue pairs", edge_meaning},
	{&crossing_set, "fault of packets", crossing_meaning},
	{&crossing_message_set, "message of the connection manager", crossing_meaning},
};

/* The set of the code @i if it is one of these, or NULL. */
static const struct named_set *named_set_of(const struct coverage *c, size_t i)
{
	size_t k;

	for (k = 0; k < ARRAY_SIZE(named); k++)
		if (c->codes.item[i].set == named[k].set)
			return &named[k];
	return NULL;
}

static struct value *named_json(const struct cover_row *row, const struct named_set *set)
{
	struct value *m = value_map();

	value_set_string(m, "name", row->name);
	value_set_string(m, "what", set->what);
	value_set(m, "meaning", set->meaning(row->name));
	explain_cover_set(m, row);
	value_set(m, "scenarios", explain_cover_scenarios(row));
	return m;
}

void explain_cover_named(struct value *list, const struct coverage *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->code_count; i++)
		if (named_set_of(c, i) && !strcasecmp(c->code[i].name, name))
			value_append(list, named_json(&c->code[i], named_set_of(c, i)));
}

void explain_cover_suggest(struct suggestion *best, const struct coverage *c)
{
	size_t i;

	for (i = 0; i < c->code_count; i++)
		if (named_set_of(c, i))
			suggest_offer(best, c->code[i].name);
}
