/* SPDX-License-Identifier: BSD-2-Clause */
#include "runs/stored.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "runs/shard.h"

static const struct value *strings_of(const struct value *row, const char *key)
{
	const struct value *list = value_get(row, key);
	size_t i;

	if (!list || list->type != VALUE_LIST)
		return NULL;
	for (i = 0; i < list->list.count; i++)
		if (list->list.item[i]->type != VALUE_STRING)
			return NULL;
	return list;
}

/* A row of the list is the variant that it names. */
static int take_row(struct stored_variant *v, const struct value *row, struct vbm_error *err)
{
	const char *name = value_get_string(row, "name", NULL);
	const char *verdict = value_get_string(row, "verdict", NULL);

	if (!name || !verdict)
		return vbm_fail(err, EINVAL, "one of its 'scenarios' has no 'name' or no 'verdict'");
	if (verdict_parse(verdict, &v->verdict) < 0)
		return vbm_fail(err, EINVAL, "'%s' has the verdict '%.40s', which is not known", name, verdict);
	v->name = name;
	v->folder = value_get_string(row, "folder", NULL);
	v->reason = value_get_string(row, "reason", "");
	v->took_ms = value_get_int(row, "took_ms", -1);
	v->findings = strings_of(row, "findings");
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct stored_variant *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void sort_names(struct stored_run *run)
{
	size_t i;

	run->by_name = xcalloc(run->count + 1, sizeof(const struct stored_variant *));
	for (i = 0; i < run->count; i++)
		run->by_name[i] = &run->item[i];
	qsort(run->by_name, run->count, sizeof(const struct stored_variant *), by_name);
}

static int read_summary(struct stored_run *run, const struct value *summary, struct vbm_error *err)
{
	const struct value *list;
	size_t i;
	int rc = event_check_any(summary, err);

	if (rc < 0)
		return rc;
	if (!event_is(summary, "summary") || !event_has(summary, "scenarios"))
		return vbm_fail(err, EINVAL, "it has no 'scenarios'");
	run->target = event_string(summary, "target");
	list = event_maps(summary, "scenarios");
	run->item = xcalloc(list->list.count + 1, sizeof(*run->item));
	for (i = 0; rc == 0 && i < list->list.count; i++)
		rc = take_row(&run->item[run->count++], list->list.item[i], err);
	if (rc == 0)
		sort_names(run);
	return rc;
}

int stored_take(struct stored_run *out, struct value *summary, struct vbm_error *err)
{
	struct vbm_error why = {0};

	*out = (struct stored_run){.summary = summary};
	if (read_summary(out, summary, &why) == 0)
		return 0;
	stored_fini(out);
	return vbm_fail(err, EINVAL, "this is not the summary of a run: %s", why.msg);
}

int stored_load(struct stored_run *out, const char *dir, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/summary.json", dir), *text = NULL;
	struct value *summary;
	struct vbm_error why;

	*out = (struct stored_run){0};
	text = text_of_file(path, &why);
	if (!text)
		return vbm_fail(err, why.code, "%s (only a run with --output writes one, "
				"at its end)", why.msg);
	summary = json_read(text, strlen(text), err);
	if (!summary || stored_take(out, summary, err) < 0)
		return vbm_wrap(err, "%s", path);
	out->dir = xstrdup(dir);
	return 0;
}

void stored_fini(struct stored_run *run)
{
	value_free(run->summary);
	free(run->dir);
	free(run->item);
	free(run->by_name);
	*run = (struct stored_run){0};
}

const struct stored_variant *stored_find(const struct stored_run *run, const char *variant)
{
	const struct stored_variant key = {.name = variant}, *wanted = &key;
	const struct stored_variant **found = bsearch(&wanted, run->by_name, run->count,
						      sizeof(const struct stored_variant *), by_name);

	return found ? *found : NULL;
}

/* A slower variant takes at least twice the time, and this much more. */
#define SLOWER_MS 100

bool stored_is_slower(int64_t before_ms, int64_t after_ms)
{
	return before_ms >= 0 && before_ms <= INT64_MAX / 2 && after_ms >= before_ms * 2 &&
	       after_ms - before_ms >= SLOWER_MS;
}

enum verdict stored_verdict_of(const struct stored_run *run, const char *variant)
{
	const struct stored_variant *v = stored_find(run, variant);

	return v ? v->verdict : VERDICT_COUNT;
}

void stored_place(const struct stored_run *run, struct text *out)
{
	const struct value *s = run->summary;
	const char *layout = event_string_or(s, "layout", NULL);
	struct shard shard;

	if (shard_of_event(&shard, s))
		text_addf(out, "shard %d of %d, ", shard.number, shard.of);
	text_addf(out, "kernel %s, ", event_string(s, "kernel"));
	if (layout)
		text_addf(out, "%s layout, ", layout);
	text_addf(out, "%s lane, rdma-core %s, target %s", event_string(s, "lane"),
		  event_string(s, "rdma_core"), event_string(s, "target"));
}
