/* SPDX-License-Identifier: BSD-2-Clause */
#include "runs/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "runs/stored.h"

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

/* One variant of one shard. */
struct merge_piece {
	const char *name;	/* borrowed */
	size_t scenario;	/* the length of the scenario's id in @name */
	size_t shard, piece;
};

struct merge {
	struct stored_pieces *part;	/* owned */
	struct merge_shard *shard;	/* owned */
	size_t count;
	struct merge_piece *piece;	/* owned; of all shards, in their order in the merged run */
	size_t pieces;
	size_t holes;
	/* Of the events that are given now. */
	stored_event_fn *fn;
	void *arg;
	int64_t number;			/* of the next variant */
	char *running;			/* owned; the variant without a verdict, or NULL */
	int64_t verdicts[VERDICT_COUNT];
	int status;
};

static int by_name(const void *one, const void *other)
{
	const struct merge_piece *a = one, *b = other;
	size_t n = a->scenario < b->scenario ? a->scenario : b->scenario;
	int rc = strncmp(a->name, b->name, n);

	if (rc == 0 && a->scenario != b->scenario)
		rc = a->scenario < b->scenario ? -1 : 1;
	if (rc == 0 && a->shard != b->shard)
		rc = a->shard < b->shard ? -1 : 1;
	if (rc == 0)
		rc = a->piece < b->piece ? -1 : a->piece > b->piece;
	return rc;
}

static void add_pieces(struct merge *m, size_t shard)
{
	const struct stored_pieces *part = &m->part[shard];
	size_t i;

	for (i = 0; i < part->count; i++) {
		const char *name = part->item[i].name;

		if (!name)
			continue;
		GROW(m->piece, m->pieces);
		m->piece[m->pieces++] = (struct merge_piece){name, strcspn(name, "[#"), shard, i};
	}
	m->shard[shard] = (struct merge_shard){
		.path = part->path, .head = part->head, .ended = part->ended, .begun = m->pieces,
	};
}

/* Adds a hole to the text of an error. */
static void add_hole(const char *text, void *all)
{
	struct text *t = all;

	text_addf(t, "%s%s", t->len ? "; " : "", text);
}

static bool has_begun(const struct merge *m)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (m->shard[i].head)
			return true;
	return false;
}

static int check_shards(struct merge *m, bool partial, struct vbm_error *err)
{
	struct text holes auto_text = {0};
	int rc = merge_check(m->shard, m->count, err);

	if (rc < 0)
		return rc;
	m->holes = merge_holes(m->shard, m->count, add_hole, &holes);
	if (!has_begun(m))
		return vbm_fail(err, EINVAL, "%s", holes.len ? holes.s : "there is no shard");
	if (m->holes && !partial)
		return vbm_fail(err, EINVAL, "%s (--partial merges the rest)", holes.s);
	return 0;
}

int merge_open(struct merge **out, char *const *paths, size_t count, bool partial, struct vbm_error *err)
{
	struct merge *m = xcalloc(1, sizeof(*m));
	size_t i, before;
	int rc = 0;

	m->part = xcalloc(count + 1, sizeof(*m->part));
	m->shard = xcalloc(count + 1, sizeof(*m->shard));
	for (i = 0; rc == 0 && i < count; i++) {
		before = m->pieces;
		rc = stored_pieces_find(&m->part[i], paths[i], err);
		if (rc < 0)
			break;
		m->count++;
		add_pieces(m, i);
		m->shard[i].begun -= before;
	}
	if (rc == 0)
		rc = check_shards(m, partial, err);
	if (rc < 0) {
		merge_close(m);
		return rc;
	}
	if (m->pieces)
		qsort(m->piece, m->pieces, sizeof(*m->piece), by_name);
	*out = m;
	return 0;
}

void merge_close(struct merge *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->count; i++)
		stored_pieces_fini(&m->part[i]);
	free(m->part);
	free(m->shard);
	free(m->piece);
	free(m->running);
	free(m);
}

static void forward_event(struct merge *m, struct value *event)
{
	enum verdict verdict;

	if (value_get(event, "variant"))
		value_set_int(event, "variant", m->number);
	if (event_is(event, "scenario")) {
		free(m->running);
		m->running = xstrdup(event_name(event));
	}
	if (event_is(event, "verdict")) {
		verdict = event_verdict(event);
		m->verdicts[verdict]++;
		if (!verdict_is_expected(verdict))
			m->status = 1;
		free(steal(&m->running));
	}
	m->fn(event, m->arg);
}

static void give_stored(struct value *event, void *arg)
{
	forward_event(arg, event);
}

/* The job ended while this variant ran. */
static void give_up(struct merge *m)
{
	auto_value struct value *event = NULL;

	if (!m->running)
		return;
	event = value_map();
	value_set_string(event, "event", "verdict");
	value_set_int(event, "variant", m->number);
	value_set_string(event, "name", m->running);
	value_set_string(event, "verdict", verdict_name(VERDICT_INVALID));
	value_set_string(event, "reason", "its shard was broken off while it ran");
	value_set_int(event, "took_ms", 0);
	value_set_int(event, "own_us", 0);
	forward_event(m, event);
}

static void give_error(const char *text, void *arg)
{
	auto_value struct value *event = value_map();
	struct merge *m = arg;

	value_set_string(event, "event", "error");
	value_set_int(event, "code", ENODATA);
	value_set_string(event, "text", text);
	m->status = 1;
	m->fn(event, m->arg);
}

/* A folder has its errors in the summary. */
static void give_errors(struct merge *m, const struct merge_shard *s)
{
	const struct value *errors = s->ended ? event_strings(s->head, "errors") : NULL;
	size_t i;

	for (i = 0; errors && i < errors->list.count; i++)
		give_error(errors->list.item[i]->s, m);
}

/* A head that has the place: of the shards that had one, rather one that ended, because its layout is known. */
static const struct value *placed_head(const struct merge *m)
{
	const struct value *best = NULL;
	int most = -1, points;
	size_t i;

	for (i = 0; i < m->count; i++) {
		const struct value *head = m->shard[i].head;

		if (!head)
			continue;
		points = 2 * (event_integer(head, "total") > 0) + (value_get(head, "layout") != NULL);
		if (points > most)
			best = head;
		most = points > most ? points : most;
	}
	return best;
}

static void copy_place(const struct merge *m, struct value *to)
{
	static const char *const same[] = {"kernel", "layout", "lane", "accelerator", "virtual_time", "target", "rdma_core",
					   "librdmacm"};
	const struct value *from = placed_head(m), *v;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		v = value_get(from, same[i]);
		if (v && (strcmp(same[i], "layout") || event_is(to, "summary")))
			value_set(to, same[i], value_dup(v));
	}
}

static void put_total(const struct merge *m, struct value *event)
{
	int planned = merge_planned(m->shard, m->count);

	value_set_int(event, "total", planned < 0 ? (int64_t)m->pieces : planned);
}

static void give_begin(struct merge *m)
{
	auto_value struct value *event = value_map();

	value_set_string(event, "event", "begin");
	copy_place(m, event);
	put_total(m, event);
	m->fn(event, m->arg);
}

/* The shards ran at the same time, so the whole run took as long as the longest one. */
static int64_t longest(struct merge *m)
{
	int64_t ms = 0, took;
	size_t i;

	for (i = 0; i < m->count; i++) {
		if (!m->shard[i].ended)
			continue;
		took = event_integer(m->shard[i].head, "took_ms");
		ms = took > ms ? took : ms;
		if (event_integer(m->shard[i].head, "exit"))
			m->status = 1;
	}
	return ms;
}

static void give_summary(struct merge *m)
{
	auto_value struct value *event = value_map();
	struct value *counts = value_map();
	int64_t done = 0;
	int v;

	value_set_string(event, "event", "summary");
	for (v = 0; v < VERDICT_COUNT; v++) {
		value_set_int(counts, verdict_name((enum verdict)v), m->verdicts[v]);
		done += m->verdicts[v];
	}
	value_set(event, "counts", counts);
	put_total(m, event);
	copy_place(m, event);
	value_set_int(event, "took_ms", longest(m));
	/* As in every run, skips alone prove nothing. */
	if (done == m->verdicts[VERDICT_SKIP] || done != event_integer(event, "total"))
		m->status = 1;
	value_set_int(event, "exit", m->status);
	m->fn(event, m->arg);
}

static int give_rests(struct merge *m, struct vbm_error *err)
{
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < m->count; i++) {
		const struct stored_pieces *part = &m->part[i];

		if (part->count && !part->item[part->count - 1].name)
			rc = stored_pieces_give(part, part->count - 1, give_stored, m, err);
		give_errors(m, &m->shard[i]);
	}
	return rc;
}

int merge_events(struct merge *m, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	int rc = 0;
	size_t i;

	m->fn = fn;
	m->arg = arg;
	m->status = 0;
	memset(m->verdicts, 0, sizeof(m->verdicts));
	give_begin(m);
	for (i = 0; rc == 0 && i < m->pieces; i++) {
		m->number = (int64_t)i;
		rc = stored_pieces_give(&m->part[m->piece[i].shard], m->piece[i].piece, give_stored, m, err);
		if (rc == 0)
			give_up(m);
	}
	if (rc == 0)
		rc = give_rests(m, err);
	if (rc < 0)
		return rc;
	merge_holes(m->shard, m->count, give_error, m);
	give_summary(m);
	return 0;
}

int merge_status(const struct merge *m)
{
	return m->status;
}
