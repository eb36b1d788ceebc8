/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_ORDER_H
#define VBM_RUN_ORDER_H

#include <stdbool.h>
#include <stddef.h>

struct value;

/*
 * Several runners work at the same time, and reports read as if there were one:
 * events leave in the order of the plan's variants. What belongs to the variant
 * whose turn it is leaves at once; the rest is kept until its turn comes. Pure.
 */
struct order;

/* @out gets every event once; @variants are numbered from 0. */
struct order *order_new(size_t variants, size_t runners,
			void (*out)(void *arg, const struct value *event), void *arg);

/* Hands out what is kept still, in order. NULL is fine. */
void order_free(struct order *o);

/*
 * An event of runner @runner. What has no variant stays with the one that the
 * runner is at, and between two variants with the one that begins next.
 */
void order_event(struct order *o, size_t runner, const struct value *event);

/* The runner has ended: what it said last belongs to no variant, and leaves at the end. */
void order_runner_ended(struct order *o, size_t runner);

/* How many variants have left whole. */
size_t order_done(const struct order *o);

#endif
