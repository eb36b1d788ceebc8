/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_ORDER_H
#define VBM_RUN_ORDER_H

#include <stdbool.h>
#include <stddef.h>

struct value;

/*
 * Several runners work at the same time, but a report reads as if there were one: events
 * are handed out in the order of the plan's variants. Events of the variant whose turn it
 * is are handed out at once; the others are kept until their turn comes. Pure.
 */
struct order;

/* @out gets every event once, and whether @more follow at once; @variants are numbered from 0. */
struct order *order_new(size_t variants, size_t runners,
			void (*out)(void *arg, const struct value *event, bool more), void *arg);

/* Hands out the events that are still kept, in order. NULL is fine. */
void order_free(struct order *o);

/*
 * Takes an event of runner @runner. An event without a variant goes with the runner's
 * current variant, and between two variants with the next one.
 */
void order_event(struct order *o, size_t runner, const struct value *event);

/*
 * The runner has ended: its last events belong to no variant, and are handed out at the
 * end.
 */
void order_runner_ended(struct order *o, size_t runner);

/* How many variants were handed out completely. */
size_t order_done(const struct order *o);

#endif
