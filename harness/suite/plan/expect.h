/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_EXPECT_H
#define VBM_PLAN_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"
#include "step/step.h"

/* A field that is not as expected. */
struct mismatch {
	struct pos pos;		/* the expectation's, or the step's */
	char *field;		/* owned; "return", "results[0].family" */
	char *expected;		/* owned; with names: "EAI_QPTYPE (-7)" */
	char *actual;		/* owned */
};

struct mismatches {
	struct mismatch *item;	/* owned */
	size_t count;
};

void mismatches_fini(struct mismatches *m);

/* Takes ownership of both texts. */
void mismatches_add(struct mismatches *m, struct pos pos, const char *field, char *expected,
		    char *actual);

/*
 * Compares @result with @expect (bound, or NULL). If the result has a "return"
 * and @expect does not mention it, it must be kind->ok. Returns true when all
 * holds; otherwise adds every mismatch to @out.
 *
 * An expectation is a literal, a list of maps (one for each item, in order), or
 * a map with one of: any (the field is there), not, min and max, any_of (a list;
 * with why:), contains, count.
 */
bool expect_match(const struct step_kind *kind, struct pos step_pos,
		  const struct value *expect, const struct value *result,
		  struct mismatches *out);

/*
 * A result as text for people: "event REJECTED (8), status 28"; "success" when
 * the call succeeded and returned nothing else. The caller frees it.
 */
char *expect_result_show(const struct step_kind *kind, const struct value *result);

#endif
