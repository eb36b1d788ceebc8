/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_FIT_H
#define VBM_PLAN_FIT_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/value.h"
#include "step/step.h"

/*
 * Fitting checks a value against a parameter or field of the step table, and
 * gives it the type that the step takes: a name becomes an integer that keeps
 * its text. The compiler fits the values of a file, with a scope. The runner
 * fits the values that references have in the run, without a scope.
 */
enum fit_kind {
	FIT_BAD,	/* a diagnostic says why */
	FIT_TEXT,
	FIT_NUMBER,
	FIT_BOOL,
	FIT_LIST,
};

/* Questions that only the compiler can answer. */
struct fit_scope {
	void *arg;
	/* The type that the expression @v will have. */
	enum fit_kind (*kind_of)(void *arg, const struct value *v, struct diagnostics *diag);
	/* Checks that @v names an object that @param takes; adds a diagnostic if not. */
	void (*object)(void *arg, const struct param *param, const struct value *v,
		       struct diagnostics *diag);
};

struct fit {
	struct diagnostics *diag;
	const struct fit_scope *scope;
};

/* Fits all arguments of a step, and finds unknown and missing ones. */
void fit_args(const struct fit *fit, const char *step, const struct param *params,
	      struct value *args, struct pos pos);

/* Does the same for a call, and checks the rules of @kind about several parameters. */
void fit_call(const struct fit *fit, const struct step_kind *kind, struct value *args,
	      struct pos pos);

/* A name or an integer of @set. "4096" is a name if the set has that name. */
void fit_const(const struct fit *fit, const struct const_set *set, const char *what,
	       struct value **slot);
void fit_flags(const struct fit *fit, const struct const_set *set, const char *what,
	       struct value **slot);

/* A text or {hex: ...}, of at most @max bytes; @max 0 means no limit. */
void fit_bytes(const struct fit *fit, const char *what, int64_t max, struct value **slot);

/* Replaces *@slot and keeps its position in the file. */
void fit_replace(struct value **slot, struct value *v);

/* The text of a scalar: as the file writes it, or as a person would. The caller frees it. */
char *fit_scalar_text(const struct value *v);

/* Fits a map of expectations by field. The plain word "any" becomes {any: true}. */
void fit_expect(const struct fit *fit, const char *step, const struct field *fields,
		struct value *expect);

#endif
