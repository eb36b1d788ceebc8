/* SPDX-License-Identifier: BSD-2-Clause */
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
#include "vocab/schema-language.h"
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

static struct value *ref_to(const char *def)
{
	struct value *m = value_map();

	value_set(m, "$ref", value_format_string("#/$defs/%s", def));
	return m;
}

/* Accepts @a or a reference. */
static struct value *or_reference(struct value *a)
{
	struct value *m = value_map(), *any = value_list();
	const char *doc = value_get_string(a, "description", NULL);

	if (doc)
		value_set_string(m, "description", doc);
	value_append(any, a);
	value_append(any, ref_to("reference"));
	value_set(m, "anyOf", any);
	return m;
}

static struct value *make_set_schema(const struct const_set *set)
{
	struct value *m = value_map(), *any = value_list(), *e = value_map();
	struct value *list = value_list();
	size_t i;
	int64_t number;

	for (i = 0; i < set->count; i++) {
		number = strtoll(set->entry[i].name, NULL, 10);
		value_append(list, number ? value_int(number) : value_string(set->entry[i].name));
	}
	value_set(e, "enum", list);
	value_append(any, e);
	value_append(any, typed("integer", NULL));
	value_append(any, typed("string", NULL));
	value_set(m, "anyOf", any);
	return m;
}

static struct value *list_of(struct value *item)
{
	struct value *m = typed("array", NULL);

	value_set(m, "items", item);
	return m;
}

static struct value *one_or_list(struct value *item)
{
	struct value *m = value_map(), *any = value_list();

	value_append(any, value_dup(item));
	value_append(any, list_of(item));
	value_set(m, "anyOf", any);
	return m;
}

static struct value *params_schema(const struct param *params);

static struct value *param_schema(const struct param *p)
{
	struct value *m;

	switch (p->type) {
	case PARAM_INT:
		m = typed("integer", p->doc);
		if (p->max > p->min) {
			value_set_int(m, "minimum", p->min);
			value_set_int(m, "maximum", p->max);
		}
		return or_reference(m);
	case PARAM_BOOL:
		return or_reference(typed("boolean", p->doc));
	case PARAM_STRING:
	case PARAM_BYTES:
		m = value_map();
		value_set_string(m, "description", p->doc ? p->doc : "");
		return m;
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
		return list_of(params_schema(p->sub));
	case PARAM_TEXTS:
		m = list_of(typed(NULL, NULL));
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
	value_set(m, "properties", props);
	value_set(m, "additionalProperties", value_bool(false));
	if (required->list.count)
		value_set(m, "required", required);
	else
		value_free(required);
	return m;
}

/* The schema of the values that are compared. A map of operators is always accepted. */
static struct value *fields_schema(const struct field *fields)
{
	struct value *m = typed("object", NULL), *props = value_map(), *d;
	const struct field *f;

	for (f = fields; f && f->name; f++) {
		d = value_map();
		value_set_string(d, "description", f->doc ? f->doc : "");
		value_set(props, f->name, d);
	}
	value_set(m, "properties", props);
	value_set(m, "additionalProperties", value_bool(false));
	return m;
}

static struct value *expect_schema(const struct step_kind *k)
{
	struct value *m, *any, *nothing;

	if (!k->waits)
		return fields_schema(k->fields);
	m = value_map();
	any = value_list();
	nothing = value_map();
	value_set(nothing, "const", value_string("nothing"));
	value_append(any, nothing);
	value_append(any, fields_schema(k->fields));
	value_set(m, "anyOf", any);
	return m;
}

static struct value *step_schema(const struct step_kind *k)
{
	struct value *m = typed("object", k->doc), *props = value_map(), *calls = value_map();
	struct value *args = value_map(), *any = value_list();
	char *key;

	value_append(any, params_schema(k->params));
	value_append(any, typed("null", NULL));
	value_set(args, "anyOf", any);
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
	struct value *list = typed("array", "the hosts that have no RDMA device"), *item = typed("string", NULL);

	value_set_string(item, "pattern", "^[b-z]$");
	value_set(list, "items", item);
	value_set_int(list, "minItems", 1);
	return list;
}

/* A pair with a host that has no device. */
static struct value *script_form(void)
{
	struct value *form = typed("object", "two hosts, one of them without a device"), *props = value_map();

	value_set(props, "script", script_schema());
	value_set(form, "properties", props);
	value_set(form, "additionalProperties", value_bool(false));
	return form;
}

static struct value *fabric_form(const char *name, const char *doc, int min, int max)
{
	struct value *form = typed("object", doc), *props = value_map();
	struct value *n = typed("integer", "how many hosts");

	value_set_int(n, "minimum", min);
	value_set_int(n, "maximum", max);
	value_set(props, name, n);
	value_set(props, "script", script_schema());
	value_set(form, "properties", props);
	value_set(form, "additionalProperties", value_bool(false));
	return form;
}

/* A pair whose hosts have a kernel each. */
static struct value *kernel_form(void)
{
	struct value *form = typed("object", "two hosts, each with the kernel of a release"), *props = value_map(), *hosts = value_map();
	struct value *kernels = typed("object", "the releases");

	value_set(hosts, "a", value_map());
	value_set(hosts, "b", value_map());
	value_set(kernels, "properties", hosts);
	value_set(kernels, "additionalProperties", value_bool(false));
	value_set_int(kernels, "minProperties", 1);
	value_set(props, "kernel", kernels);
	value_set(form, "properties", props);
	value_set(form, "additionalProperties", value_bool(false));
	return form;
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
	struct value *m = value_map(), *any = value_list(), *pair = value_map();

	value_set(pair, "const", value_string("pair"));
	value_append(any, pair);
	value_append(any, fabric_form("mesh", "hosts on one switch", 1, SCENARIO_MESH_MAX));
	value_append(any, fabric_form("routed", "hosts with a network each, around one router",
				      SCENARIO_ROUTED_MIN, SCENARIO_ROUTED_MAX));
	value_append(any, script_form());
	value_append(any, kernel_form());
	value_append(any, fabric_device_form());
	value_set(m, "anyOf", any);
	return m;
}

static struct value *dns_schema(void)
{
	struct value *m = typed("object", "the answers of the name server, by name");
	struct value *map = typed("object", NULL), *props = value_map(), *any = value_list();
	struct value *word = value_map(), *words = value_list(), *d, *name = value_map();
	const struct dns_word *w;
	const struct dns_key *k;

	for (w = dns_words; w->name; w++)
		value_append(words, value_string(w->name));
	value_set(word, "enum", words);
	for (k = dns_keys; k->name; k++) {
		d = value_map();
		value_set_string(d, "description", k->doc);
		value_set(props, k->name, d);
	}
	value_set(map, "properties", props);
	value_set(map, "additionalProperties", value_bool(false));
	value_append(any, word);
	value_append(any, ref_to("reference"));
	value_append(any, map);
	value_set(name, "anyOf", any);
	value_set(m, "additionalProperties", name);
	return m;
}

static struct value *resolv_schema(void)
{
	struct value *m = typed("object", "options of resolv.conf"), *props = value_map(), *d;
	const struct resolv_option *o;

	for (o = resolv_options; o->name; o++) {
		d = typed("integer", o->doc);
		value_set_int(d, "minimum", o->min);
		value_set_int(d, "maximum", o->max);
		value_set(props, o->name, or_reference(d));
	}
	value_set(m, "properties", props);
	value_set(m, "additionalProperties", value_bool(false));
	return m;
}

static struct value *acm_map(const char *doc, const struct acm_key *keys)
{
	struct value *m = typed("object", doc), *props = value_map(), *d;

	for (; keys->name; keys++) {
		d = value_map();
		value_set_string(d, "description", keys->doc);
		value_set(props, keys->name, d);
	}
	value_set(m, "properties", props);
	value_set(m, "additionalProperties", value_bool(false));
	return m;
}

static struct value *acm_schema(void)
{
	struct value *m = value_map(), *any = value_list(), *word = value_map();
	struct value *words = value_list(), *map = acm_map(NULL, acm_keys);
	const struct acm_word *w;

	for (w = acm_words; w->name; w++)
		value_append(words, value_string(w->name));
	value_set(word, "enum", words);
	value_set(value_get(value_get(map, "properties"), "paths"), "items",
		  acm_map(NULL, acm_path_keys));
	value_append(any, word);
	value_append(any, ref_to("reference"));
	value_append(any, map);
	value_set_string(m, "description", "how the path service answers");
	value_set(m, "anyOf", any);
	return m;
}

static void set_names_schemas(struct value *props)
{
	struct value *hosts = value_map(), *services = value_map();

	value_set_string(hosts, "description", "lines for /etc/hosts: a list, or a list by host");
	value_set_string(services, "type", "object");
	value_set_string(services, "description", "entries of /etc/services: NAME: PORT/tcp");
	value_set(services, "additionalProperties", one_or_list(typed("string", NULL)));
	value_set(props, "dns", dns_schema());
	value_set(props, "hosts", hosts);
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
	value_set(props, "steps", list_of(ref_to("step")));
	value_set(m, "properties", props);
	for (i = 0; i < ARRAY_SIZE(required); i++)
		value_append(list, value_string(required[i]));
	value_set(m, "required", list);
	value_set(m, "additionalProperties", value_bool(false));
	value_set(m, "$defs", definitions());
	return m;
}
