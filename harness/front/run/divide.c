/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/divide.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/suite.h"

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

static int is_yaml(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 5 && !strcmp(e->d_name + n - 5, ".yaml");
}

/* alphasort() depends on the locale, and machines may have several. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* With other findings a failure gets another verdict. A file that cannot be read is an error of the run, later. */
static void add_findings(struct text *t, const char *root)
{
	auto_free char *dir = xasprintf("%s/" SUITE_FINDINGS, root);
	struct dirent **file;
	int i, n = scandir(dir, &file, is_yaml, by_name);

	for (i = 0; i < n; i++) {
		auto_free char *path = xasprintf("%s/%s", dir, file[i]->d_name), *text = NULL;

		if (file_read(path, &text, NULL, NULL) == 0)
			text_addf(t, "%s\n", text);
		free(file[i]);
	}
	if (n >= 0)
		free(file);
}

/* Runs of the same variants with the same findings and the same version of the program have the same digest. */
static uint64_t digest_of_plan(const struct selection *sel)
{
	struct text t auto_text = {0};
	size_t i;

	text_addf(&t, "%s\n", PACKAGE_VERSION);
	for (i = 0; i < sel->plan.count; i++)
		add_variant(&t, &sel->plan.item[i]);
	for (i = 0; i < sel->root_count; i++)
		add_findings(&t, sel->root[i]);
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

	text_addf(&digest, "%016" PRIx64, digest_of_plan(sel));
	value_set_int(described, "number", shard->number);
	value_set_int(described, "of", shard->of);
	value_set_string(described, "plan", digest.s);
	if (times)
		value_set_int(described, "planned", (int64_t)sel->plan.count * times);
	selection_keep(sel, is_ours, shard);
	return described;
}
