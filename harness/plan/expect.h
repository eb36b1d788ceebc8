/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_EXPECT_H
#define VBM_PLAN_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"
#include "step/step.h"

/* A field that is not as expected. */
struct mismatch {
	struct pos pos;		/* of the expectation, or of the step */
	char *field;		/* owned; "return", "results[0].family" */
	char *expected;		/* owned; with names: "EAI_QPTYPE (-7)" */
	char *actual;		/* owned */
};

struct mismatches {
	struct mismatch *item;	/* owned */
	size_t count;
};

void mismatches_fini(struct mismatches *m);

/* Takes both texts. */
void mismatches_add(struct mismatches *m, struct pos pos, const char *field, char *expected,
		    char *actual);

/*
 * Compare @result with @expect (bound, or NULL). A result that has a "return"
 * must have kind->ok there when @expect does not speak of it. True when all
 * holds; else every mismatch is in @out.
 *
 * An expectation is a literal, a list of maps (as many items, each as its map
 * says), or a map of one of: any (the field is there), not, min and max,
 * any_of (a list; with why:), contains, count.
 */
bool expect_match(const struct step_kind *kind, struct pos step_pos,
		  const struct value *expect, const struct value *result,
		  struct mismatches *out);

/*
 * A result for people: "event REJECTED (8), status 28"; "success" when the call
 * succeeded and told nothing else. The caller frees it.
 */
char *result_show(const struct step_kind *kind, const struct value *result);

#endif
