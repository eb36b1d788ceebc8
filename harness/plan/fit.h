/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_FIT_H
#define VBM_PLAN_FIT_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/value.h"
#include "step/step.h"

/*
 * Fit values to what the step table asks for: check a value against a
 * parameter or a field, and put it into the type that arrives (names become
 * integers that keep their text). The compiler fits what a file says, with a
 * scope; the runner fits what references stood for, without one.
 */
enum fit_kind {
	FIT_BAD,	/* a diagnostic said why */
	FIT_TEXT,
	FIT_NUMBER,
	FIT_BOOL,
	FIT_LIST,
};

/* What only the compiler knows. */
struct fit_scope {
	void *arg;
	/* What the expression @v will come to. */
	enum fit_kind (*kind_of)(void *arg, const struct value *v, struct diagnostics *diag);
	/* Whether @v names an object that @param takes; says so when not. */
	void (*object)(void *arg, const struct param *param, const struct value *v,
		       struct diagnostics *diag);
};

struct fit {
	struct diagnostics *diag;
	const struct fit_scope *scope;
};

void fit_param(const struct fit *fit, const struct param *param, struct value **slot);

/* All of a step's arguments: unknown and missing ones are found too. */
void fit_args(const struct fit *fit, const char *step, const struct param *params,
	      struct value *args, struct pos pos);

/* The same for a call as a whole: also what @kind says of its parameters together. */
void fit_call(const struct fit *fit, const struct step_kind *kind, struct value *args,
	      struct pos pos);

/* A name or an integer of @set; 4096 is a name when the set has it. */
void fit_const(const struct fit *fit, const struct const_set *set, const char *what,
	       struct value **slot);
void fit_flags(const struct fit *fit, const struct const_set *set, const char *what,
	       struct value **slot);

/* A text or {hex: ...}, of at most @max bytes unless that is 0. */
void fit_bytes(const struct fit *fit, const char *what, int64_t max, struct value **slot);

/* Replace *@slot and keep its position. */
void fit_replace(struct value **slot, struct value *v);

/* The text of a scalar: as written, or as a person would. The caller frees. */
char *fit_scalar_text(const struct value *v);

/* A map of expectations by field; the plain word "any" becomes {any: true}. */
void fit_expect(const struct fit *fit, const char *step, const struct field *fields,
		struct value *expect);

#endif
