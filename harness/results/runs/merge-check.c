/* SPDX-License-Identifier: BSD-2-Clause */
#include "runs/merge-check.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"

static const char *plan_of(const struct merge_shard *s)
{
	return value_get_string(value_get(s->head, "shard"), "plan", "");
}

/* A shard without a scenario had no place. */
static bool had_place(const struct merge_shard *s)
{
	return event_integer(s->head, "total") > 0;
}

static int check_place(const struct merge_shard *one, const struct merge_shard *other, struct vbm_error *err)
{
	static const struct {
		const char *member, *called;
	} same[] = {
		{"kernel", "kernel"}, {"lane", "lane"}, {"layout", "layout"}, {"rdma_core", "rdma-core"}, {"target", "target"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		const char *a = value_get_string(one->head, same[i].member, NULL);
		const char *b = value_get_string(other->head, same[i].member, NULL);

		if (a && b && strcmp(a, b) != 0)
			return vbm_fail(err, EINVAL, "%s and %s are not shards of one run: their %ss are %s and %s", one->path,
					other->path, same[i].called, a, b);
	}
	return 0;
}

static int check_plan(const struct merge_shard *one, const struct merge_shard *other, struct vbm_error *err)
{
	if (one->shard.of != other->shard.of)
		return vbm_fail(err, EINVAL, "%s and %s are not shards of one run: they are shard %d of %d and shard %d of %d",
				one->path, other->path, one->shard.number, one->shard.of, other->shard.number,
				other->shard.of);
	if (strcmp(plan_of(one), plan_of(other)) != 0)
		return vbm_fail(err, EINVAL, "%s and %s are not shards of one run: their scenarios, known findings or "
				"versions of verbatim differ (plans %s and %s); run all shards from the same tree, with the same arguments",
				one->path, other->path, plan_of(one), plan_of(other));
	return 0;
}

/* The verdicts that the summary of a shard counts. */
static int64_t counted(const struct merge_shard *s)
{
	const struct value *counts = s->ended ? event_map(s->head, "counts") : NULL;
	int64_t sum = 0;
	int v;

	for (v = 0; counts && v < VERDICT_COUNT; v++)
		sum += value_get_int(counts, verdict_name((enum verdict)v), 0);
	return sum;
}

static int check_sum(const struct merge_shard *s, struct vbm_error *err)
{
	int64_t sum = counted(s);

	if (sum > (int64_t)s->begun)
		return vbm_fail(err, EINVAL, "%s: events are missing: its summary counts %" PRId64 " variants, and %zu are there",
				s->path, sum, s->begun);
	return 0;
}

static int check_numbers(const struct merge_shard *item, size_t count, struct vbm_error *err)
{
	size_t i, j;

	for (i = 0; i < count; i++)
		for (j = 0; j < i; j++)
			if (item[i].head && item[j].head && item[i].shard.number == item[j].shard.number)
				return vbm_fail(err, EINVAL, "%s and %s are both shard %d of %d: name each shard once",
						item[j].path, item[i].path, item[i].shard.number, item[i].shard.of);
	return 0;
}

int merge_check(struct merge_shard *item, size_t count, struct vbm_error *err)
{
	const struct merge_shard *first = NULL, *placed = NULL;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < count; i++) {
		struct merge_shard *s = &item[i];

		if (!s->head)
			continue;
		if (!shard_of_event(&s->shard, s->head) || !*plan_of(s))
			return vbm_fail(err, EINVAL, "%s is no shard: its run had no --shard", s->path);
		first = first ? first : s;
		rc = check_sum(s, err) < 0 ? -EINVAL : check_plan(first, s, err);
		if (rc < 0 || !had_place(s))
			continue;
		placed = placed ? placed : s;
		rc = check_place(placed, s, err);
	}
	return rc < 0 ? rc : check_numbers(item, count, err);
}

/* The shards with a number of 1 to @of that nobody has: "3", or "3, 7". */
static size_t list_missing(const struct merge_shard *item, size_t count, int of, struct text *out)
{
	auto_free bool *there = xcalloc((size_t)of + 1, sizeof(*there));
	size_t i, missing = 0;
	int n;

	for (i = 0; i < count; i++)
		if (item[i].head)
			there[item[i].shard.number] = true;
	for (n = 1; n <= of; n++)
		if (!there[n])
			text_addf(out, "%s%d", missing++ ? ", " : "", n);
	return missing;
}

/* NULL: the shard is whole. */
static char *broken_text(const struct merge_shard *s)
{
	if (s->ended && counted(s) == event_integer(s->head, "total"))
		return NULL;
	/* A signal ended it, or --fail-fast. */
	if (s->ended)
		return xasprintf("%s: shard %d of %d ended after %d of its %d variants", s->path, s->shard.number, s->shard.of,
				 (int)counted(s), (int)event_integer(s->head, "total"));
	if (!s->head)
		return xasprintf("%s: this shard was broken off before its run began", s->path);
	return xasprintf("%s: shard %d of %d was broken off after it began %zu of its %d variants", s->path,
			 s->shard.number, s->shard.of, s->begun, (int)event_integer(s->head, "total"));
}

size_t merge_holes(const struct merge_shard *item, size_t count, merge_hole_fn *fn, void *arg)
{
	struct text missing auto_text = {0};
	size_t i, holes = 0, n = 0;
	int of = 0;

	for (i = 0; i < count; i++) {
		auto_free char *text = broken_text(&item[i]);

		of = item[i].head ? item[i].shard.of : of;
		if (!text)
			continue;
		fn(text, arg);
		holes++;
	}
	if (of)
		n = list_missing(item, count, of, &missing);
	if (n) {
		auto_free char *text = xasprintf("shard%s %s of %d %s missing", n > 1 ? "s" : "", missing.s, of,
						 n > 1 ? "are" : "is");

		fn(text, arg);
		holes++;
	}
	return holes;
}

int merge_planned(const struct merge_shard *item, size_t count)
{
	int64_t planned = -1, sum = 0;
	size_t i;
	int of = 0, there = 0;

	for (i = 0; i < count; i++) {
		if (!item[i].head)
			continue;
		planned = value_get_int(value_get(item[i].head, "shard"), "planned", planned);
		sum += event_integer(item[i].head, "total");
		of = item[i].shard.of;
		there++;
	}
	return of && there == of ? (int)sum : (int)planned;
}
