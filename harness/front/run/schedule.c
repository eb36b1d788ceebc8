/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "run/repeat.h"
#include "runs/stored.h"

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

size_t *schedule_make(const struct selection *sel, const char *rerun, const char *history, int jobs)
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
