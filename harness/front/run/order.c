/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/places.h"

#include <stdlib.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"

struct order_kept {
	struct value **item;	/* owned */
	size_t count;
};

struct order {
	void (*out)(void *arg, const struct value *event, bool more);
	void *arg;
	struct order_kept *variant;	/* owned; events that wait for the variant's turn */
	bool *whole;		/* owned; the verdict has come */
	size_t variants;
	struct order_kept *between;	/* owned; by runner: events since its last variant */
	size_t *running;	/* owned; by runner: its variant, or variants for none */
	size_t runners;
	struct order_kept last;	/* events of no variant */
	size_t turn;
};

struct order *order_new(size_t variants, size_t runners,
			void (*out)(void *arg, const struct value *event, bool more), void *arg)
{
	struct order *o = xcalloc(1, sizeof(*o));
	size_t i;

	o->out = out;
	o->arg = arg;
	o->variants = variants;
	o->runners = runners;
	o->variant = xcalloc(variants + 1, sizeof(*o->variant));
	o->whole = xcalloc(variants + 1, sizeof(*o->whole));
	o->between = xcalloc(runners + 1, sizeof(*o->between));
	o->running = xcalloc(runners + 1, sizeof(*o->running));
	for (i = 0; i < runners; i++)
		o->running[i] = variants;
	return o;
}

static void keep_event(struct order_kept *k, const struct value *event)
{
	GROW(k->item, k->count);
	k->item[k->count++] = value_dup(event);
}

static void let_go(struct order *o, struct order_kept *k)
{
	size_t i;

	for (i = 0; i < k->count; i++) {
		o->out(o->arg, k->item[i], i + 1 < k->count);
		value_free(k->item[i]);
	}
	free(k->item);
	*k = (struct order_kept){0};
}

static void move_events(struct order_kept *to, struct order_kept *from)
{
	size_t i;

	for (i = 0; i < from->count; i++) {
		GROW(to->item, to->count);
		to->item[to->count++] = from->item[i];
	}
	free(from->item);
	*from = (struct order_kept){0};
}

/* Hands out the variants that are complete, and the events so far of the next one. */
static void advance(struct order *o)
{
	while (o->turn < o->variants) {
		let_go(o, &o->variant[o->turn]);
		if (!o->whole[o->turn])
			return;
		o->turn++;
	}
}

static size_t number_of(const struct order *o, const struct value *event)
{
	int64_t n = event_variant(event);

	return n >= 0 && n < (int64_t)o->variants ? (size_t)n : o->variants;
}

void order_event(struct order *o, size_t runner, const struct value *event)
{
	size_t n = number_of(o, event);

	/* A fabric, or a kernel message without a variant, while a variant runs. */
	if (n == o->variants)
		n = o->running[runner];
	if (n == o->variants) {
		keep_event(&o->between[runner], event);
		return;
	}
	if (o->running[runner] != n) {
		move_events(&o->variant[n], &o->between[runner]);
		o->running[runner] = n;
	}
	keep_event(&o->variant[n], event);
	if (event_is(event, "verdict")) {
		o->whole[n] = true;
		o->running[runner] = o->variants;
	}
	if (n == o->turn)
		advance(o);
}

void order_runner_ended(struct order *o, size_t runner)
{
	move_events(&o->last, &o->between[runner]);
	o->running[runner] = o->variants;
}

size_t order_done(const struct order *o)
{
	return o->turn;
}

void order_free(struct order *o)
{
	size_t i;

	if (!o)
		return;
	for (i = o->turn; i < o->variants; i++)
		let_go(o, &o->variant[i]);
	for (i = 0; i < o->runners; i++)
		let_go(o, &o->between[i]);
	let_go(o, &o->last);
	free(o->variant);
	free(o->whole);
	free(o->between);
	free(o->running);
	free(o);
}
