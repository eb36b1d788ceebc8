/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/walks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lane/lane.h"
#include "worker/follow.h"
#include "rdma-build/target-choice.h"
#include "worker/worker.h"
#include "lib/base/fail.h"
#include "names/device-types.h"

/* A place has this many orders, so that it never waits for the next one. */
#define AHEAD 3
/* A place says nothing while it carries out WALK_COUNT sequences. */
#define SILENCE_MS 120000

/* One place and its orders. The first of them is being carried out. */
struct site {
	struct walk_news order[AHEAD];	/* owned */
	size_t orders;
	bool ready, ended;		/* it has its job; it was told that no more orders follow */
};

struct expedition {
	struct walks *w;
	struct target_choice target;
	struct lanes *lanes;
	struct worker **worker;		/* owned; one for each site */
	struct site *site;		/* owned */
	uint64_t next;			/* the first sequence that no place has */
	bool begun;
};

static void news_fini(struct walk_news *n)
{
	size_t i;

	for (i = 0; i < n->failures; i++) {
		free(n->failure[i].cause);
		free(n->failure[i].says);
	}
	free(n->failure);
	free(n->doubt);
}

static struct site *site_of(struct expedition *e, const struct worker *w)
{
	int i;

	for (i = 0; e->worker[i] != w; i++)
		;
	return &e->site[i];
}

static void send_order(struct worker *w, const struct walk_news *order, bool each)
{
	auto_value struct value *line = value_map();

	value_set_int(line, "walk", (int64_t)order->first);
	value_set_int(line, "count", (int64_t)order->count);
	if (each)
		value_set_bool(line, "each", true);
	worker_send(w, line);
}

/* Gives a place as many orders as it may have; the last one gets "end". */
static void give_orders(struct expedition *e, struct worker *w, struct site *s)
{
	auto_value struct value *line = value_map();
	size_t limit = e->w->sequences;
	struct walk_news *order;

	while (s->orders < AHEAD && !(e->w->enough && e->w->enough(e->w->arg)) && (!limit || e->next < limit)) {
		order = &s->order[s->orders++];
		*order = (struct walk_news){.first = e->next, .count = WALK_COUNT, .last = e->next, .operation = -1};
		if (limit && limit - e->next < order->count)
			order->count = limit - e->next;
		e->next += order->count;
		send_order(w, order, e->w->each);
	}
	if (s->orders || s->ended)
		return;
	value_set_bool(line, "end", true);
	worker_send(w, line);
	s->ended = true;
}

/* The first order of the place is done, up to the sequence that began last. The rest of it becomes the first order. */
static int finish_order(struct expedition *e, struct site *s, struct vbm_error *err)
{
	struct walk_news news = s->order[0];
	uint64_t end = news.first + news.count;
	int rc;

	if (news.last + 1 < end) {
		s->order[0] = (struct walk_news){.first = news.last + 1, .count = end - news.last - 1, .last = news.last + 1,
						  .operation = -1};
		news.count -= s->order[0].count;
	} else {
		s->orders--;
		memmove(s->order, s->order + 1, s->orders * sizeof(s->order[0]));
	}
	rc = e->w->heard(e->w->arg, &news, err);
	news_fini(&news);
	return rc;
}

static void note_used(struct expedition *e, const struct lane *lane)
{
	struct explore_used *used = &e->w->place->used;

	snprintf(used->kernel, sizeof(used->kernel), "%s", lane->kernel);
	snprintf(used->rdma_core, sizeof(used->rdma_core), "%s", e->target.version);
	snprintf(used->lane, sizeof(used->lane), "%s", lane->lanes->ops->name);
	snprintf(used->target, sizeof(used->target), "%s", e->target.name);
}

static int on_ready(void *arg, struct worker *w, struct vbm_error *err)
{
	struct expedition *e = arg;
	struct site *s = site_of(e, w);
	struct value *job = value_map();
	size_t i;
	int rc = 0;

	note_used(e, worker_lane(w));
	if (!e->begun && e->w->began)
		rc = e->w->began(e->w->arg, err);
	e->begun = true;
	value_set_string(job, "job", "walk");
	value_set_string(job, "layout", e->w->place->layout);
	if (e->w->place->device)
		value_set_string(job, "device", e->w->place->device);
	value_set_string(job, "target", e->target.name);
	if (e->target.tree.librdmacm)
		value_set_string(job, "librdmacm", e->target.tree.librdmacm);
	value_set_int(job, "seed", (int64_t)e->w->seed);
	value_set_int(job, "steps", (int64_t)e->w->steps);
	value_set_int(job, "groups", e->w->groups);
	value_set_int(job, "exceptions", e->w->place->stack.exceptions);
	worker_allow_silence(w, SILENCE_MS);
	worker_send_job(w, job);
	value_free(job);
	s->ready = true;
	/* The orders of a place that ended before they were done. */
	for (i = 0; i < s->orders; i++)
		send_order(w, &s->order[i], e->w->each);
	if (rc == 0)
		give_orders(e, w, s);
	return rc;
}

static void add_failure(struct walk_news *n, const struct value *event)
{
	struct walk_failure *f;
	const char *call = event_string(event, "call"), *field = event_string(event, "field");
	const char *expected = event_string(event, "expected"), *actual = event_string(event, "actual");
	const char *breaks = event_string(event, "breaks");

	GROW(n->failure, n->failures);
	f = &n->failure[n->failures++];
	f->sequence = (uint64_t)event_integer(event, "sequence");
	f->cause = batch_outcome_cause(call, field, expected, actual, *breaks ? breaks : NULL);
	f->says = xasprintf("%s.%s: %s: expected %s, got %s", event_string(event, "host"), call, field, expected, actual);
	f->operation = (size_t)event_integer(event, "operation");
}

/* The first complaint, or what was left behind. */
static char *doubt_of(const struct value *event)
{
	const struct value *complaints = event_strings(event, "complaints"), *left = event_strings(event, "left");

	if (complaints->list.count)
		return xasprintf("the kernel complained: %s", complaints->list.item[0]->s);
	return left->list.count ? xasprintf("left behind: %s", left->list.item[0]->s) : NULL;
}

/* The walkers draw their sequences from a model that knows this, so the same has to be known here. */
static void note_lacks(struct model_stack *stack, const struct value *event)
{
	const struct value *names = event_strings(event, "lacks");
	size_t i, k;

	stack->lacks = 0;
	for (i = 0; model_lack_name(i); i++)
		for (k = 0; k < names->list.count; k++)
			if (!strcmp(names->list.item[k]->s, model_lack_name(i)))
				stack->lacks |= 1u << i;
}

static int on_event(void *arg, struct worker *w, struct value *event, struct vbm_error *err)
{
	struct expedition *e = arg;
	struct site *s = site_of(e, w);
	int rc;

	if (event_is(event, "error"))
		return vbm_fail(err, ENODEV, "%s", event_string(event, "text"));
	if (event_is(event, "walker"))
		note_lacks(&e->w->place->stack, event);
	if (event_is(event, "astray") && s->orders)
		add_failure(&s->order[0], event);
	if (event_is(event, "walking") && s->orders) {
		s->order[0].last = (uint64_t)event_integer(event, "sequence");
		s->order[0].operation = event_integer_or(event, "operation", -1);
	}
	if (!event_is(event, "walked") || !s->orders)
		return 0;
	if (event_integer(event, "first") != (int64_t)s->order[0].first)
		return vbm_fail(err, EPROTO, "a place carried out the sequences from %" PRId64 " on, but its orders begin with %" PRIu64,
				event_integer(event, "first"), s->order[0].first);
	s->order[0].last = s->order[0].first + s->order[0].count - 1;
	s->order[0].operations = event_integer(event, "operations");
	s->order[0].doubt = doubt_of(event);
	rc = finish_order(e, s, err);
	if (rc == 0)
		give_orders(e, w, s);
	return rc;
}

/* Another place goes on with the orders that are left. */
static int open_again(struct expedition *e, struct worker *w, struct site *s, struct vbm_error *err)
{
	struct worker **at = &e->worker[s - e->site];
	bool over = s->ended;

	worker_close(w);
	*at = NULL;
	s->ready = s->ended = false;
	return over ? 0 : worker_open(at, e->lanes, err);
}

static int on_end(void *arg, struct worker *w, struct vbm_error *err)
{
	struct expedition *e = arg;

	return open_again(e, w, site_of(e, w), err);
}

static int on_lost(void *arg, struct worker *w, enum worker_news news, const char *why, struct vbm_error *err)
{
	struct expedition *e = arg;
	struct site *s = site_of(e, w);
	int rc = 0;

	(void)news;
	if (!s->ready)
		return vbm_fail(err, ENODEV, "%s", why);
	if (s->orders) {
		free(s->order[0].doubt);
		s->order[0].doubt = xstrdup(why);
		s->order[0].lost = true;
		rc = finish_order(e, s, err);
	}
	return rc < 0 ? rc : open_again(e, w, s, err);
}

static const struct follow_ops ops = {
	.ready = on_ready,
	.event = on_event,
	.end = on_end,
	.lost = on_lost,
};

static int open_lanes(struct expedition *e, struct vbm_error *err)
{
	const struct batch_place *place = e->w->place;
	struct lane_options opts = {.kernel = place->kernel, .devices.rest.first = place->device ? device_type_find(place->device) : NULL,
				    .virtual_time = true};
	const struct lane_ops *lane = NULL;
	int rc = target_choice_settle(&e->target, place->target ? place->target : "system", NULL, NULL, err);

	if (rc < 0)
		return -EINVAL;
	opts.files = e->target.files;
	opts.environment = e->target.environment[0] ? e->target.environment : NULL;
	rc = lane_choose(place->lane, &opts, &lane, err);
	if (rc < 0)
		return lane ? -ENODEV : -EINVAL;
	return lanes_open(&e->lanes, lane, &opts, err) < 0 ? -ENODEV : 0;
}

int walks_run(struct walks *w, struct vbm_error *err)
{
	struct expedition e = {.w = w, .next = w->first};
	int i, rc = open_lanes(&e, err);
	size_t k;

	e.worker = xcalloc((size_t)w->jobs, sizeof(*e.worker));
	e.site = xcalloc((size_t)w->jobs, sizeof(*e.site));
	for (i = 0; rc == 0 && i < w->jobs; i++)
		rc = worker_open(&e.worker[i], e.lanes, err);
	if (rc == 0)
		rc = follow(&(struct follow){.workers = e.worker, .count = (size_t)w->jobs, .signals = w->signals,
					     .ops = &ops, .arg = &e}, err);
	for (i = 0; i < w->jobs; i++) {
		worker_close(e.worker[i]);
		for (k = 0; k < e.site[i].orders; k++)
			news_fini(&e.site[i].order[k]);
	}
	free(e.worker);
	free(e.site);
	lanes_close(e.lanes);
	target_choice_fini(&e.target);
	return rc;
}
