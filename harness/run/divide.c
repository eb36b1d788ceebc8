/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/divide.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"

/* The names of files are left out: machines may have the same suite in different folders. */
static void add_variant(struct text *t, const struct variant *v)
{
	auto_value struct value *value = variant_to_value(v);
	const struct value *items = value_get(value, "items");
	auto_free char *json = NULL;
	size_t i;

	value_set_string(value, "path", "");
	for (i = 0; i < items->list.count; i++)
		if (value_get(items->list.item[i], "fragment"))
			value_set_string(items->list.item[i], "fragment", "");
	json = json_write(value);
	text_addf(t, "%s\n", json);
}

/* Runs of the same variants with the same version of the program have the same digest. */
static uint64_t digest_of_plan(const struct plan *plan)
{
	struct text t auto_text = {0};
	size_t i;

	text_addf(&t, "%s\n", PACKAGE_VERSION);
	for (i = 0; i < plan->count; i++)
		add_variant(&t, &plan->item[i]);
	return digest_of(t.s, t.len);
}

static bool is_ours(const struct variant *v, const void *shard)
{
	return shard_holds(shard, v->id);
}

struct value *divide(struct selection *sel, const struct shard *shard, int times)
{
	struct value *described = value_map();
	struct text digest auto_text = {0};

	text_addf(&digest, "%016" PRIx64, digest_of_plan(&sel->plan));
	value_set_int(described, "number", shard->number);
	value_set_int(described, "of", shard->of);
	value_set_string(described, "plan", digest.s);
	if (times)
		value_set_int(described, "planned", (int64_t)sel->plan.count * times);
	selection_keep(sel, is_ours, shard);
	return described;
}
