/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "compile/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More hosts and variants take longer and find nothing else. */
enum { VARIANTS_TRIED = 4 };

/* A result with every field of a step, as empty as can be. */
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

static void run_step(const struct plan_step *step, struct env *env)
{
	auto_value struct value *args = NULL, *expect = NULL;
	auto_value struct value *result = bare_result(step->kind);
	char host[2] = {(char)('a' + step->host), '\0'};
	struct mismatch m = {0};

	if (plan_bind(step, env, &args, &expect, NULL) == 0)
		expect_match(step->kind, step->pos, expect, result, &m);
	mismatch_fini(&m);
	if (step->as)
		env_set_result(env, host, step->as, result);
}

static void run_variant(const struct scenario *s, const struct variant *v)
{
	struct host_info host = {.dev = "rxe", .ip4 = "10.0.0.1", .ip6 = "fd00::1"};
	struct env *env = env_new(v->vars);
	size_t i;
	int h;

	for (h = 0; h < s->hosts; h++) {
		host.name[0] = (char)('a' + h);
		env_set_host(env, &host);
	}
	for (i = 0; i < s->step_count; i++)
		run_step(&s->steps[i], env);
	env_free(env);
}

/*
 * Any text is either a scenario or has errors that can be printed; a scenario
 * can be run against results that are of no use to it.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diagnostics diag = {0};
	struct scenario *s = NULL;
	struct variants variants;
	size_t i;
	auto_free char *text = NULL;
	int ret = scenario_parse(&s, "fuzz.yaml", "fuzz", (const char *)data, size, &diag);

	if ((ret == 0) != (diag.count == 0) || (ret == 0) != (s != NULL))
		abort();
	text = diagnostics_format(&diag, "fuzz.yaml");
	diagnostics_fini(&diag);
	if (!s)
		return 0;
	scenario_variants(s, &variants);
	if (!variants.count || variants.count > SCENARIO_VARIANTS_MAX)
		abort();
	for (i = 0; i < variants.count && i < VARIANTS_TRIED; i++)
		run_variant(s, &variants.item[i]);
	variants_fini(&variants);
	scenario_free(s);
	return 0;
}
