/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_EXPLAIN_H
#define VBM_EXPLAIN_EXPLAIN_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    nothing; its tables are constant.
 * Ends:    with the call.
 * Tests:   unit/test_explain, test_explain_line, test_page; tests/cli/explain.test.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <verbatim/error.h>

#include "base/suggest.h"
#include "coverage/coverage.h"
#include "explain/table.h"

struct value;

/*
 * Everything that is known of @name, a list of maps; empty when nothing is known.
 * A name may be several things: a constant of several sets (with or without
 * their prefix), a call, a counter of rxe, a clause, a finding, a scenario, a step, a
 * transition of queue pairs, a verdict, a word of reports; or a number, which has a
 * meaning in several sets. Upper and lower case are the same.
 */
struct value *explain_name(const struct survey *s, const struct coverage *c, const char *name);

/*
 * Adds to @list what is known of the parts of a line that a program or a report has
 * printed: calls, codes with their texts and numbers, counters, findings, scenarios. What
 * is in @list already is not added again.
 */
void explain_line(struct value *list, const struct survey *s, const struct coverage *c, const char *line);

/* The most similar name, or NULL. */
const char *explain_suggest(const struct survey *s, const struct coverage *c, const char *name);

/*
 * Gives each clause and code of @matches (explain_name(), explain_line()) that a scenario shows the list
 * "by_device": how it is covered on devices of each type. Reads these scenarios again, because fragments have
 * other steps for some devices.
 */
int explain_devices_add(struct value *matches, const struct survey *s, const struct coverage *c, struct vbm_error *err);

/* Prints one match of explain_name() for people. */
void explain_text(FILE *f, const struct value *match);

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

/*
 * Each adds to @list what @name is, if it is such a thing. A call has only the causes for
 * the transition @to and for @code, if they are not NULL and there are any.
 */
void explain_call_add(struct value *list, const struct coverage *c, const char *name, const char *to,
		      const char *code);
void explain_finding_add(struct value *list, const struct survey *s, const char *name);
void explain_statement_add(struct value *list, const struct survey *s, const struct coverage *c, const char *name);
void explain_scenario_add(struct value *list, const struct survey *s, const char *name);

/* The causes of a call, of a code of any call (@call NULL), or of both. */
struct value *explain_causes(const char *call, const char *to, const char *code);
void explain_call_suggest(struct suggestion *best);

/* "12", "-110", "0x81". */
bool explain_is_number(const char *text);

/* Adds each meaning of the number @text, if it is one. */
void explain_number(struct value *list, const char *text);

/* Adds the name of one value without clauses, scenarios and pages; unless @list has it. */
void explain_brief(struct value *list, const struct const_set *set, int64_t value);

/* The same for a reason of a rejection. */
void explain_reason(struct value *list, int64_t value);

/* The status of a completion beside which mlx5 has the number @value; -1: unknown. */
int64_t explain_vendor_status(int64_t value);

/* The entry of the name that @e explains. */
struct value *explain_entry(const struct explanation *e, const char *what);

/* Sets what @e, which may be NULL, says of the entry @m. */
void explain_words_set(struct value *m, const struct explanation *e);

/* Adds @m, which @list takes over, unless it has an entry of that name and kind. */
void explain_take(struct value *list, struct value *m);

#endif
