/* SPDX-License-Identifier: BSD-2-Clause */
/* --shard, --rerun and --shuffle: which of the selected variants run, and in which order. */
#include "run/reorder.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "catalogue/suite.h"
#include "names/exit-status.h"
#include "run/repeat.h"
#include "runs/stored.h"

/* Whether the run had the variant, and it was as expected each time. */
static bool is_settled(const struct stored_run *run, const char *name)
{
	const struct stored_variant *v = stored_find(run, name);
	bool settled = v != NULL;
	int time;

	for (time = 2; v && settled; time++) {
		auto_free char *again = repeat_name(name, time);

		settled = verdict_is_expected(v->verdict);
		v = stored_find(run, again);
	}
	return settled;
}

static bool is_open(const struct variant *v, const void *run)
{
	return !is_settled(run, v->name);
}

int reorder_rerun(struct selection *sel, const char *path)
{
	struct stored_run run;
	struct vbm_error err;
	size_t dropped;

	if (stored_read(&run, path, 0, &err) < 0) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	dropped = selection_keep(sel, is_open, &run);
	stored_fini(&run);
	if (sel->plan.count == 0)
		visible_complain("nothing is left to run: in %s, all %zu variants were as expected", path, dropped);
	return EXIT_OK;
}

/* splitmix64: a seed gives the same order on every machine. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void renumber(struct selection *sel)
{
	size_t i;

	for (i = 0; i < sel->plan.count; i++)
		sel->plan.item[i].number = i;
}

void reorder_shuffle(struct selection *sel, uint64_t seed)
{
	struct variant v, *item = sel->plan.item;
	const char *root;
	size_t i, j;

	for (i = sel->plan.count; i > 1; i--) {
		j = next_random(&seed) % i;
		v = item[i - 1];
		item[i - 1] = item[j];
		item[j] = v;
		root = sel->root_of[i - 1];
		sel->root_of[i - 1] = sel->root_of[j];
		sel->root_of[j] = root;
	}
	renumber(sel);
}

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

struct value *reorder_divide(struct selection *sel, const struct shard *shard, int times)
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

/* A variant is long if it takes more than this part of the time that each place has. */
#define LONG_PART 16

struct timed {
	size_t variant;
	int64_t took_ms;	/* 0: not known */
};

struct schedule {
	const struct selection *selection;
	struct timed *item;	/* owned; by variant */
};

static void take_times(const struct stored_run *run, void *arg)
{
	struct schedule *s = arg;
	const struct stored_variant *v;
	size_t i;

	for (i = 0; i < s->selection->plan.count; i++) {
		auto_free char *name = repeat_plain(s->selection->plan.item[i].name);

		v = stored_find(run, name);
		if (v && v->took_ms > 0)
			s->item[i].took_ms = v->took_ms;
	}
}

static int by_time(const void *one, const void *other)
{
	const struct timed *a = one, *b = other;

	if (a->took_ms != b->took_ms)
		return a->took_ms < b->took_ms ? 1 : -1;
	return a->variant < b->variant ? -1 : a->variant > b->variant;
}

static int64_t total_of(const struct schedule *s)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < s->selection->plan.count; i++)
		sum += s->item[i].took_ms;
	return sum;
}

/* The short ones have the time 0 here, so that they keep their order behind the others. */
static size_t *in_order(struct schedule *s, int64_t longest_short_ms)
{
	size_t i, count = s->selection->plan.count;
	size_t *turn = xcalloc(count + 1, sizeof(*turn));

	for (i = 0; i < count; i++)
		if (s->item[i].took_ms <= longest_short_ms)
			s->item[i].took_ms = 0;
	qsort(s->item, count, sizeof(*s->item), by_time);
	for (i = 0; i < count; i++)
		turn[i] = s->item[i].variant;
	return turn;
}

size_t *reorder_by_time(const struct selection *sel, const char *rerun, const char *history, int jobs)
{
	struct schedule s = {.selection = sel};
	struct stored_run run;
	size_t i, *turn = NULL;
	int64_t total;

	if (jobs < 2)
		return NULL;
	s.item = xcalloc(sel->plan.count + 1, sizeof(*s.item));
	for (i = 0; i < sel->plan.count; i++)
		s.item[i].variant = i;
	if (history)
		stored_history(history, 1, take_times, &s);
	if (rerun && stored_read(&run, rerun, 0, NULL) == 0) {
		take_times(&run, &s);
		stored_fini(&run);
	}
	total = total_of(&s);
	if (total > 0)
		turn = in_order(&s, total / jobs / LONG_PART);
	free(s.item);
	return turn;
}
