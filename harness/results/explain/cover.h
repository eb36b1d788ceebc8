/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_COVER_H
#define VBM_EXPLAIN_COVER_H

#include "base/suggest.h"
#include "coverage/coverage.h"

struct value;

/* Sets "cover", "where" and "why" of @m; @row may be NULL. */
void explain_cover_set(struct value *m, const struct cover_row *row);

/* The ids of the scenarios that show the row. */
struct value *explain_cover_scenarios(const struct cover_row *row);

/*
 * The row of a constant, or NULL if coverage does not count it. @call is the call of an
 * errno, else NULL.
 */
const struct cover_row *explain_cover_constant(const struct coverage *c, const struct const_set *set,
					       int64_t value, const char *call);

/* Appends the transition of queue pairs or fault of packets that is called @name ("UC:SQE-RTS", "REQ:lost"), if it is one. */
void explain_cover_named(struct value *list, const struct coverage *c, const char *name);
void explain_cover_suggest(struct suggestion *best, const struct coverage *c);

#endif
