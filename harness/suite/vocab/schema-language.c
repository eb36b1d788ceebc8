/* SPDX-License-Identifier: BSD-2-Clause */
#include "vocab/schema-language.h"

#include <string.h>

#include "base/value.h"
#include "compile/scenario.h"

static struct value *described(const char *type, const char *doc)
{
	struct value *m = value_map();

	if (type)
		value_set_string(m, "type", type);
	value_set_string(m, "description", doc);
	return m;
}

static struct value *steps_of(const char *doc)
{
	struct value *m = described("array", doc), *items = value_map();

	value_set_string(items, "$ref", "#/$defs/step");
	value_set(m, "items", items);
	return m;
}

void schema_step_keys(struct value *props)
{
	value_set(props, "note", described("string", "a sentence for the reader"));
	value_set(props, "when", described("object", "the step runs only if variables have these values"));
	value_set(props, "within", described("integer", "milliseconds in which nothing may happen"));
	value_set(props, "deadline", described("integer", "the longest wait in milliseconds"));
}

static void add_construct(struct value *any, const char *key, struct value *first,
			  const char *also, struct value *second)
{
	struct value *m = described("object", key), *props = value_map(), *required = value_list();

	value_set(props, key, first);
	value_append(required, value_string(key));
	if (also)
		value_set(props, also, second);
	value_set(props, "when", described("object", "the steps run only if variables have these values"));
	value_set(props, "note", described("string", "a sentence for the reader"));
	value_set(m, "properties", props);
	value_set(m, "required", required);
	value_set(m, "additionalProperties", value_bool(false));
	value_append(any, m);
}

void schema_constructs(struct value *any)
{
	struct value *either = described("array", "outcomes, each a list of steps");

	value_set(either, "items", steps_of("one outcome"));
	add_construct(any, "use", described(NULL, "a fragment, or {FRAGMENT: {PARAMETER: VALUE}}"),
		      NULL, NULL);
	add_construct(any, "repeat",
		      described("object", "a variable and its values: 8, 1..8, b..d, a list, "
				"hosts, others"), "steps", steps_of("the steps to repeat"));
	add_construct(any, "together", steps_of("steps of several hosts that run at the same time"),
		      NULL, NULL);
	add_construct(any, "either", either, "why",
		      described("string", "a sentence that says why more than one outcome is right"));
	add_construct(any, "steps", steps_of("steps under one when:"), NULL, NULL);
	add_construct(any, "requires", described(NULL, "a condition like those of the head, or a list of them"),
		      NULL, NULL);
}

static struct value *cases_schema(void)
{
	struct value *m = described(NULL, "rows of variables; each row is a variant"), *any = value_list();
	struct value *rows = described("array", "rows"), *from = described("object", "rows from a generator");
	struct value *props = value_map(), *name = value_map(), *names = value_list();
	struct value *row = described("object", "variables; the keys case, clause, spec and requires "
						"belong to the row");
	const struct case_generator *g;

	for (g = case_generators; g->name; g++)
		value_append(names, value_string(g->name));
	value_set(name, "enum", names);
	value_set(props, "from", name);
	value_set(from, "properties", props);
	value_set(from, "additionalProperties", value_bool(false));
	value_set(rows, "items", row);
	value_append(any, rows);
	value_append(any, from);
	value_set(m, "anyOf", any);
	return m;
}

/* One instance: the fragment's parameters except the name, which is the key. */
static struct value *instance_schema(const struct value *fragment)
{
	const struct value *params = value_get(fragment, "parameters"), *p, *fallback;
	struct value *m = value_map(), *props = value_map(), *types = value_list(), *d;
	size_t i;

	for (i = 0; i < params->list.count; i++) {
		p = params->list.item[i];
		fallback = value_get(p, "default");
		d = described(NULL, value_get_string(p, "doc", ""));
		if (fallback)
			value_set(d, "default", value_dup(fallback));
		value_set(props, value_get_string(p, "name", ""), d);
	}
	value_append(types, value_string("object"));
	value_append(types, value_string("null"));
	value_set(m, "type", types);
	value_set(m, "properties", props);
	value_set(m, "additionalProperties", value_bool(false));
	return m;
}

static bool has_name(const struct value *fragment)
{
	const struct value *params = value_get(fragment, "parameters");
	size_t i;

	for (i = 0; i < params->list.count; i++)
		if (!strcmp(value_get_string(params->list.item[i], "name", ""), "name"))
			return true;
	return false;
}

void schema_head(struct value *props, const struct value *fragments)
{
	const struct value *f;
	struct value *m;
	size_t i;

	value_set(props, "cases", cases_schema());
	value_set(props, "spec", described(NULL, "a citation of a specification, instead of a clause"));
	value_set(props, "use", described(NULL, "fragments whose steps come first"));
	for (i = 0; fragments && i < fragments->list.count; i++) {
		f = fragments->list.item[i];
		if (!has_name(f))
			continue;
		m = described("object", value_get_string(f, "fragment", ""));
		value_set(m, "additionalProperties", instance_schema(f));
		value_set(props, value_get_string(f, "name", ""), m);
	}
}
