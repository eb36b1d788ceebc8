/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "acm/answer.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "dns/zone.h"
#include "names/consts.h"
#include "services/etc-files.h"
#include "plan/require.h"
#include "compile/scenario.h"
#include "vocab/vocab.h"

/*
 * A schema with which editors complete and check names and types. It cannot know
 * which names exist at a step; only "verbatim check" checks that.
 */
#define REFERENCE "^\\$[a-z_{]"

static struct value *typed(const char *type, const char *doc)
{
	struct value *m = value_map();

	if (type)
		value_set_string(m, "type", type);
	if (doc)
		value_set_string(m, "description", doc);
	return m;
}

static struct value *number(const char *doc, int64_t min, int64_t max)
{
	struct value *m = typed("integer", doc);

	value_set_int(m, "minimum", min);
	value_set_int(m, "maximum", max);
	return m;
}

static struct value *ref_to(const char *def)
{
	struct value *m = value_map();

	value_set(m, "$ref", value_format_string("#/$defs/%s", def));
	return m;
}

/* @m with the schemas that follow, up to NULL, of which one has to fit. */
static struct value *any_of(struct value *m, ...)
{
	struct value *any = value_list(), *one;
	va_list ap;

	va_start(ap, m);
	while ((one = va_arg(ap, struct value *)))
		value_append(any, one);
	va_end(ap);
	value_set(m, "anyOf", any);
	return m;
}

/* @m, an object that has only these keys. */
static struct value *closed(struct value *m, struct value *props)
{
	value_set(m, "properties", props);
	value_set(m, "additionalProperties", value_bool(false));
	return m;
}

static struct value *enumerated(struct value *names)
{
	struct value *m = value_map();

	value_set(m, "enum", names);
	return m;
}

static struct value *array_of(const char *doc, struct value *item)
{
	struct value *m = typed("array", doc);

	value_set(m, "items", item);
	return m;
}

static struct value *steps_of(const char *doc)
{
	return array_of(doc, ref_to("step"));
}

/* The keys that every step may have. */
static void schema_step_keys(struct value *props)
{
	value_set(props, "note", typed("string", "a sentence for the reader"));
	value_set(props, "when", typed("object", "the step runs only if variables have these values"));
	value_set(props, "within", typed("integer", "milliseconds in which nothing may happen"));
	value_set(props, "deadline", typed("integer", "the longest wait in milliseconds"));
}

static void add_construct(struct value *any, const char *key, struct value *first,
			  const char *also, struct value *second)
{
	struct value *m = typed("object", key), *props = value_map(), *required = value_list();

	value_set(props, key, first);
	value_append(required, value_string(key));
	if (also)
		value_set(props, also, second);
	value_set(props, "when", typed("object", "the steps run only if variables have these values"));
	value_set(props, "note", typed("string", "a sentence for the reader"));
	value_set(m, "properties", props);
	value_set(m, "required", required);
	value_set(m, "additionalProperties", value_bool(false));
	value_append(any, m);
}

/* use, repeat, together, either and steps: constructs that contain steps. */
static void schema_constructs(struct value *any)
{
	struct value *either = array_of("outcomes, each a list of steps", steps_of("one outcome"));

	add_construct(any, "use", typed(NULL, "a fragment, or {FRAGMENT: {PARAMETER: VALUE}}"),
		      NULL, NULL);
	add_construct(any, "repeat",
		      typed("object", "a variable and its values: 8, 1..8, b..d, a list, "
				"hosts, others"), "steps", steps_of("the steps to repeat"));
	add_construct(any, "together", steps_of("steps of several hosts that run at the same time"),
		      NULL, NULL);
	add_construct(any, "either", either, "why",
		      typed("string", "a sentence that says why more than one outcome is right"));
	add_construct(any, "steps", steps_of("steps under one when:"), NULL, NULL);
	add_construct(any, "requires", typed(NULL, "a condition like those of the head, or a list of them"),
		      NULL, NULL);
}

static struct value *cases_schema(void)
{
	struct value *props = value_map(), *names = value_list();
	struct value *row = typed("object", "variables; the keys case, clause, spec and requires belong to the row");
	const struct case_generator *g;

	for (g = case_generators; g->name; g++)
		value_append(names, value_string(g->name));
	value_set(props, "from", enumerated(names));
	return any_of(typed(NULL, "rows of variables; each row is a variant"), array_of("rows", row),
		      closed(typed("object", "rows from a generator"), props), NULL);
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
		d = typed(NULL, value_get_string(p, "doc", ""));
		if (fallback)
			value_set(d, "default", value_dup(fallback));
		value_set(props, value_get_string(p, "name", ""), d);
	}
	value_append(types, value_string("object"));
	value_append(types, value_string("null"));
	value_set(m, "type", types);
	return closed(m, props);
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

/* cases, spec, use, and each fragment as a key of the head. */
static void schema_head(struct value *props, const struct value *fragments)
{
	const struct value *f;
	struct value *m;
	size_t i;

	value_set(props, "cases", cases_schema());
	value_set(props, "spec", typed(NULL, "a citation of a specification, instead of a clause"));
	value_set(props, "use", typed(NULL, "fragments whose steps come first"));
	for (i = 0; fragments && i < fragments->list.count; i++) {
		f = fragments->list.item[i];
		if (!has_name(f))
			continue;
		m = typed("object", value_get_string(f, "fragment", ""));
		value_set(m, "additionalProperties", instance_schema(f));
		value_set(props, value_get_string(f, "name", ""), m);
	}
}

/* Accepts @a or a reference. */
static struct value *or_reference(struct value *a)
{
	return any_of(typed(NULL, value_get_string(a, "description", NULL)), a, ref_to("reference"), NULL);
}

static struct value *make_set_schema(const struct const_set *set)
{
	struct value *list = value_list();
	size_t i;
	int64_t n;

	for (i = 0; i < set->count; i++) {
		n = strtoll(set->entry[i].name, NULL, 10);
		value_append(list, n ? value_int(n) : value_string(set->entry[i].name));
	}
	return any_of(value_map(), enumerated(list), typed("integer", NULL), typed("string", NULL), NULL);
}

static struct value *one_or_list(struct value *item)
{
	return any_of(value_map(), value_dup(item), array_of(NULL, item), NULL);
}

static struct value *params_schema(const struct param *params);

static struct value *param_schema(const struct param *p)
{
	struct value *m;

	switch (p->type) {
	case PARAM_INT:
		return or_reference(p->max > p->min ? number(p->doc, p->min, p->max) : typed("integer", p->doc));
	case PARAM_BOOL:
		return or_reference(typed("boolean", p->doc));
	case PARAM_STRING:
	case PARAM_BYTES:
		return typed(NULL, p->doc ? p->doc : "");
	case PARAM_CONST:
		m = ref_to(p->set->name);
		value_set_string(m, "description", p->doc ? p->doc : "");
		return m;
	case PARAM_FLAGS:
		m = one_or_list(ref_to(p->set->name));
		value_set_string(m, "description", p->doc ? p->doc : "");
		return m;
	case PARAM_OBJECT:
	case PARAM_ADDRESS:
		return typed("string", p->doc);
	case PARAM_LIST:
		return array_of(NULL, params_schema(p->sub));
	case PARAM_TEXTS:
		m = array_of(NULL, typed(NULL, NULL));
		value_set_string(m, "description", p->doc ? p->doc : "");
		return m;
	}
	return value_map();
}

static struct value *params_schema(const struct param *params)
{
	struct value *m = typed("object", NULL), *props = value_map();
	struct value *required = value_list();
	const struct param *p;

	for (p = params; p && p->name; p++) {
		value_set(props, p->name, param_schema(p));
		if (p->required)
			value_append(required, value_string(p->name));
	}
	closed(m, props);
	if (required->list.count)
		value_set(m, "required", required);
	else
		value_free(required);
	return m;
}

/* The schema of the values that are compared. A map of operators is always accepted. */
static struct value *fields_schema(const struct field *fields)
{
	struct value *props = value_map();
	const struct field *f;

	for (f = fields; f && f->name; f++)
		value_set(props, f->name, typed(NULL, f->doc ? f->doc : ""));
	return closed(typed("object", NULL), props);
}

static struct value *expect_schema(const struct step_kind *k)
{
	struct value *nothing;

	if (!k->waits)
		return fields_schema(k->fields);
	nothing = value_map();
	value_set(nothing, "const", value_string("nothing"));
	return any_of(value_map(), nothing, fields_schema(k->fields), NULL);
}

static struct value *step_schema(const struct step_kind *k)
{
	struct value *m = typed("object", k->doc), *props = value_map(), *calls = value_map();
	struct value *args = any_of(value_map(), params_schema(k->params), typed("null", NULL), NULL);
	char *key;

	value_set_string(args, "description", k->doc ? k->doc : "");
	/* The key of host a completes in editors. The pattern accepts the other hosts. */
	key = xasprintf("a.%s", k->name);
	value_set(props, key, value_dup(args));
	key[0] = 'b';
	value_set(props, key, value_dup(args));
	free(key);
	key = xasprintf("^([a-z]|\\$[a-z_0-9.{}$]+)(\\.[1-7])?\\.%s$", k->name);
	value_set(calls, key, args);
	free(key);
	value_set(props, "expect", expect_schema(k));
	if (k->query)
		value_set(props, "until", fields_schema(k->fields));
	schema_step_keys(props);
	value_set(props, "as", typed("string", "a name for the result"));
	if (k->waits)
		value_set(props, "deadline", typed("integer", "the longest wait in milliseconds"));
	value_set(m, "properties", props);
	value_set(m, "patternProperties", calls);
	value_set(m, "additionalProperties", value_bool(false));
	return m;
}

static struct value *any_step(void)
{
	struct value *item = value_map(), *any = value_list();
	const struct step_family *const *f;
	const struct step_kind *k;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			value_append(any, step_schema(k));
	schema_constructs(any);
	value_set(item, "anyOf", any);
	return item;
}

static struct value *definitions(void)
{
	struct value *defs = value_map(), *reference = typed("string", "a reference");
	const struct const_set *const *s;

	value_set_string(reference, "pattern", REFERENCE);
	value_set(defs, "reference", reference);
	for (s = const_sets; *s; s++)
		value_set(defs, (*s)->name, make_set_schema(*s));
	value_set(defs, "step", any_step());
	return defs;
}

static struct value *script_schema(void)
{
	struct value *item = typed("string", NULL), *list = array_of("the hosts that have no RDMA device", item);

	value_set_string(item, "pattern", "^[b-z]$");
	value_set_int(list, "minItems", 1);
	return list;
}

/* A pair with a host that has no device. */
static struct value *script_form(void)
{
	struct value *props = value_map();

	value_set(props, "script", script_schema());
	return closed(typed("object", "two hosts, one of them without a device"), props);
}

static struct value *fabric_form(const char *name, const char *doc, int min, int max)
{
	struct value *props = value_map();

	value_set(props, name, number("how many hosts", min, max));
	value_set(props, "script", script_schema());
	return closed(typed("object", doc), props);
}

/* A pair whose hosts have a kernel each. */
static struct value *kernel_form(void)
{
	struct value *props = value_map(), *hosts = value_map(), *kernels = typed("object", "the releases");

	value_set(hosts, "a", value_map());
	value_set(hosts, "b", value_map());
	closed(kernels, hosts);
	value_set_int(kernels, "minProperties", 1);
	value_set(props, "kernel", kernels);
	return closed(typed("object", "two hosts, each with the kernel of a release"), props);
}

/* The types of the devices, alone or together with a number of hosts and with "script". */
static struct value *fabric_device_form(void)
{
	struct value *form = typed("object", "hosts with RDMA devices of the types that are named"), *props = value_map();
	struct value *devices = typed("object", "the types, by host: rxe, siw, or two devices of one host, rxe+siw"), *need = value_list();

	value_set(devices, "additionalProperties", typed("string", NULL));
	value_set_int(devices, "minProperties", 1);
	value_set(props, "device", devices);
	value_set(props, "mesh", typed("integer", "hosts on one switch"));
	value_set(props, "routed", typed("integer", "hosts with a network each, around one router"));
	value_set(props, "script", typed("array", "the hosts without an RDMA device"));
	value_append(need, value_string("device"));
	value_set(form, "properties", props);
	value_set(form, "required", need);
	value_set(form, "additionalProperties", value_bool(false));
	return form;
}

static struct value *fabric_schema(void)
{
	struct value *pair = value_map();

	value_set(pair, "const", value_string("pair"));
	return any_of(value_map(), pair, fabric_form("mesh", "hosts on one switch", 1, SCENARIO_MESH_MAX),
		      fabric_form("routed", "hosts with a network each, around one router", SCENARIO_ROUTED_MIN,
				  SCENARIO_ROUTED_MAX),
		      script_form(), kernel_form(), fabric_device_form(), NULL);
}

static struct value *dns_schema(void)
{
	struct value *m = typed("object", "the answers of the name server, by name");
	struct value *props = value_map(), *words = value_list();
	const struct dns_word *w;
	const struct dns_key *k;

	for (w = dns_words; w->name; w++)
		value_append(words, value_string(w->name));
	for (k = dns_keys; k->name; k++)
		value_set(props, k->name, typed(NULL, k->doc));
	value_set(m, "additionalProperties", any_of(value_map(), enumerated(words), ref_to("reference"),
						    closed(typed("object", NULL), props), NULL));
	return m;
}

static struct value *resolv_schema(void)
{
	struct value *props = value_map();
	const struct resolv_option *o;

	for (o = resolv_options; o->name; o++)
		value_set(props, o->name, or_reference(number(o->doc, o->min, o->max)));
	return closed(typed("object", "options of resolv.conf"), props);
}

static struct value *acm_map(const struct acm_key *keys)
{
	struct value *props = value_map();

	for (; keys->name; keys++)
		value_set(props, keys->name, typed(NULL, keys->doc));
	return closed(typed("object", NULL), props);
}

static struct value *acm_schema(void)
{
	struct value *words = value_list(), *map = acm_map(acm_keys);
	const struct acm_word *w;

	for (w = acm_words; w->name; w++)
		value_append(words, value_string(w->name));
	value_set(value_get(value_get(map, "properties"), "paths"), "items", acm_map(acm_path_keys));
	return any_of(typed(NULL, "how the path service answers"), enumerated(words), ref_to("reference"), map, NULL);
}

static void set_names_schemas(struct value *props)
{
	struct value *services = typed("object", "entries of /etc/services: NAME: PORT/tcp");

	value_set(services, "additionalProperties", one_or_list(typed("string", NULL)));
	value_set(props, "dns", dns_schema());
	value_set(props, "hosts", typed(NULL, "lines for /etc/hosts: a list, or a list by host"));
	value_set(props, "services", services);
	value_set(props, "resolv", resolv_schema());
	value_set(props, "acm", acm_schema());
}

static struct value *requires_schema(void)
{
	struct value *item = typed("string", "a capability: layout=netns, kernel>=7.1");
	const struct capability *c;
	char *pattern = xstrdup("^("), *more;

	for (c = require_capabilities; c->name; c++) {
		more = xasprintf("%s%s%s", pattern, c->name, c[1].name ? "|" : ")[<>=!]");
		free(pattern);
		pattern = more;
	}
	value_set(item, "pattern", value_string_take(pattern));
	return one_or_list(item);
}

struct value *vocab_schema(const struct value *fragments)
{
	static const char *const required[] = {"scenario", "steps"};
	struct value *m = value_map(), *props = value_map(), *list = value_list();
	struct value *vary = typed("object", "every combination runs");
	size_t i;

	value_set_string(m, "$schema", "https://json-schema.org/draft/2020-12/schema");
	value_set_string(m, "title", "verbatim scenario");
	value_set_string(m, "type", "object");
	value_set(props, "scenario", typed("string", "what it shows, one line"));
	value_set(props, "clause", one_or_list(typed("string", "id of a clause that it proves")));
	value_set(props, "fabric", fabric_schema());
	value_set(props, "requires", requires_schema());
	value_set(vary, "additionalProperties", typed("array", NULL));
	value_set(props, "vary", vary);
	set_names_schemas(props);
	schema_head(props, fragments);
	value_set(props, "steps", array_of(NULL, ref_to("step")));
	value_set(m, "properties", props);
	for (i = 0; i < ARRAY_SIZE(required); i++)
		value_append(list, value_string(required[i]));
	value_set(m, "required", list);
	value_set(m, "additionalProperties", value_bool(false));
	value_set(m, "$defs", definitions());
	return m;
}
