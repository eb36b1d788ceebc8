/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: plan/codec.c plan/sound.c plan/fit.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "plan/env.h"
#include "plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VARIANTS_TRIED = 4, ITEMS_TRIED = 50 };

/* Binding an item finds values of the wrong type. */
static void bind_items(const struct variant *v)
{
	struct host_info host = {.name = "a", .dev = "rxe", .ip4 = "10.0.0.1", .ip6 = "fd00::1"};
	struct env *env = env_new(v->ip);
	struct bound b;
	size_t i;

	env_set_host(env, &host);
	for (i = 0; i < v->item_count && i < ITEMS_TRIED; i++)
		if (item_bind(&v->items[i], env, &b, NULL) == 0)
			bound_fini(&b);
	env_free(env);
}

/* Any JSON is either a plan, which is written as it was read, or an error. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_value struct value *v = json_read((const char *)data, size, NULL);
	auto_value struct value *out = NULL, *again = NULL;
	auto_free char *text = NULL, *second = NULL;
	struct vbm_error err = {0};
	struct plan plan, copy;
	size_t i;

	if (!v)
		return 0;
	if (plan_from_value(&plan, v, &err) < 0) {
		if (!err.code || !*err.msg)
			abort();
		return 0;
	}
	for (i = 0; i < plan.count && i < VARIANTS_TRIED; i++)
		bind_items(&plan.item[i]);
	out = plan_to_value(&plan);
	text = json_write(out);
	plan_fini(&plan);
	again = json_read(text, strlen(text), NULL);
	if (!again || plan_from_value(&copy, again, NULL) < 0)
		abort();
	value_free(out);
	out = plan_to_value(&copy);
	second = json_write(out);
	plan_fini(&copy);
	if (strcmp(text, second) != 0)
		abort();
	return 0;
}
