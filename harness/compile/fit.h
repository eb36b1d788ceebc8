/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_FIT_H
#define VBM_COMPILE_FIT_H

#include "compile/scope.h"

/*
 * Fit what a file says to what the step table asks for: check a value against
 * a parameter or a field, and put it into the type that arrives (names become
 * integers that keep their text). With a scope, references are checked and
 * left; without one (at run time, when they were replaced) there are none.
 */
struct fit {
	struct diagnostics *diag;
	const struct scope *scope;
	int host;
};

void fit_param(const struct fit *fit, const struct param *param, struct value **slot);

/*
 * What is behind the reference @ref: each value of a variable is given to @each
 * with @what. True for anything else, of which only the type is known yet:
 * *@text says whether it is a text.
 */
bool fit_look_up(const struct fit *fit, const struct value *ref, struct ref_target *target,
		 bool *text,
		 void (*each)(const struct fit *fit, const void *what, struct value **slot),
		 const void *what);

/* All of a step's arguments: unknown and missing ones are found too. */
void fit_args(const struct fit *fit, const char *step, const struct param *params,
	      struct value *args, struct pos pos);

/* A name or an integer of @set; 4096 is a name when the set has it. */
void fit_const(const struct fit *fit, const struct const_set *set, const char *what,
	       struct value **slot);
void fit_flags(const struct fit *fit, const struct const_set *set, const char *what,
	       struct value **slot);

/* Replace *@slot and keep its position. */
void fit_replace(struct value **slot, struct value *v);

/* The text of a scalar: as written, or as a person would. The caller frees. */
char *fit_scalar_text(const struct value *v);

void fit_expect(const struct fit *fit, const char *step, const struct field *fields,
		struct value *expect);

#endif
