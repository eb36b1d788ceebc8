/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_EXPLAIN_H
#define VBM_EXPLAIN_EXPLAIN_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    nothing; its tables are constant.
 * Ends:    with the call.
 * Tests:   unit/test_explain, test_explain_line, test_page; tests/cli/explain.test.
 */

#include <stdio.h>

#include <verbatim/error.h>

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

#endif
