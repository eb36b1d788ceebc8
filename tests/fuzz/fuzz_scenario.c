/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/yaml.c compile/ plan/expect.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "compile/scenario.h"
#include "plan/env.h"
#include "plan/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More hosts and variants take longer and find no more. */
enum { VARIANTS_TRIED = 4, ITEMS_TRIED = 100 };

/* A result with every field of a step, each as empty as possible. */
static struct value *bare_result(const struct step_kind *kind)
{
	struct value *result = value_map();
	const struct field *f;

	for (f = kind->fields; f && f->name; f++)
		value_set(result, f->name,
			  f->type == FIELD_LIST	    ? value_list()
			  : f->type == FIELD_STRING ? value_string("")
			  : f->type == FIELD_BOOL   ? value_bool(false)
						    : value_int(0));
	return result;
}

static void run_item(const struct variant *v, const struct item *item, struct env *env)
{
	auto_value struct value *result = bare_result(item->kind);
	struct mismatches m = {0};
	struct bound b;

	if (item_bind(item, env, &b, NULL) == 0) {
		expect_match(item->kind, item->origin.pos, b.expect, result, &m);
		bound_fini(&b);
	}
	mismatches_fini(&m);
	if (item->as)
		env_set_result(env, v->actors[item->actor].name, item->as, result);
}

static void run_variant(const struct variant *v)
{
	struct host_info host = {.dev = "rxe", .ip4 = "10.0.0.1", .ip6 = "fd00::1"};
	struct env *env = env_new(v->ip);
	size_t i;
	int h;

	for (h = 0; h < v->hosts; h++) {
		host.name[0] = (char)('a' + h);
		env_set_host(env, &host);
	}
	for (i = 0; i < v->item_count && i < ITEMS_TRIED; i++)
		run_item(v, &v->items[i], env);
	env_free(env);
}

/* A variant written as JSON must be read as the same variant. */
static void through_json(const struct variant *v)
{
	auto_value struct value *a = variant_to_value(v), *read = NULL, *b = NULL;
	auto_free char *text = json_write(a), *again = NULL;
	struct variant copy;

	read = json_read(text, strlen(text), NULL);
	if (!read || variant_from_value(&copy, read, NULL) < 0)
		abort();
	b = variant_to_value(&copy);
	again = json_write(b);
	if (strcmp(text, again) != 0)
		abort();
	variant_fini(&copy);
}

/* A fragment that every input can use, and one that uses itself. */
static int read_fragment(void *arg, const char *name, struct fragment_file *file,
			 struct vbm_error *err)
{
	static const char qp[] = "fragment: f\nparameters:\n  name: {doc: n}\n  n: {default: 3, doc: n}\n"
		"steps:\n  - repeat: {i: $n}\n    steps: [{a.open_device: {}, as: \"${name}_$i\"}]\n";
	static const char loop[] = "fragment: l\nsteps: [{use: loop}, {use: loop}]\n";
	const char *found = !strcmp(name, "qps") ? qp : !strcmp(name, "loop") ? loop : NULL;

	(void)arg;
	(void)err;
	if (!found)
		return -1;
	file->path = xstrdup(name);
	file->text = xstrdup(found);
	file->len = strlen(found);
	return 0;
}

/*
 * Any text is either a scenario or has errors that can be printed. A scenario can be run
 * with results that do not fit it.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct fragment_source fragments = {.read = read_fragment};
	const struct scenario_input in = {
		.path = "fuzz.yaml", .id = "fuzz", .text = (const char *)data, .len = size,
		.fragments = &fragments,
	};
	struct diagnostics diag = {0};
	struct scenario *s = NULL;
	size_t i;
	auto_free char *text = NULL;
	int ret = scenario_parse(&s, &in, &diag);

	if ((ret == 0) != (diag.count == 0) || (ret == 0) != (s != NULL))
		abort();
	text = diagnostics_format(&diag, "fuzz.yaml");
	diagnostics_fini(&diag);
	if (!s)
		return 0;
	if (!s->plan.count || s->plan.count > SCENARIO_VARIANTS_MAX)
		abort();
	for (i = 0; i < s->plan.count && i < VARIANTS_TRIED; i++) {
		run_variant(&s->plan.item[i]);
		through_json(&s->plan.item[i]);
	}
	scenario_free(s);
	return 0;
}
