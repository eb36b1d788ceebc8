/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_SCOPE_H
#define VBM_COMPILE_SCOPE_H

#include "base/diag.h"
#include "plan/fit.h"
#include "plan/plan.h"

/* The names that a step can use: the hosts, and what earlier steps made. */
struct scope_name {
	int actor;
	char *as;			/* owned */
	enum object_kind object;	/* OBJECT_NONE: there is only a result */
	const struct step_kind *kind;	/* borrowed; NULL: there is no result */
	struct pos pos;
};

struct scope {
	struct variant *variant;	/* borrowed */
	int hosts;			/* hosts that steps can name */
	int actor;			/* the actor whose step is being checked */
	struct scope_name *name;	/* owned */
	size_t count;
};

void scope_fini(struct scope *scope);

/* Forgets all names after the first @count. */
void scope_cut(struct scope *scope, size_t count);

/* Defines @as and the objects that the step makes along with it. */
void scope_define(struct scope *scope, int actor, const char *as,
		  const struct step_kind *kind, struct pos pos);

/* Defines only the objects: there is no result to refer to. */
void scope_define_objects(struct scope *scope, int actor, const char *as,
			  const struct step_kind *kind, struct pos pos);

/* The index in the variant of actor "a", "a.1" or "wire"; -1 and a diagnostic. */
int scope_actor(struct scope *scope, const char *name, size_t len, struct pos pos,
		struct diagnostics *diag);

/* For struct fit_scope; @arg is the scope. */
enum fit_kind scope_kind_of(void *arg, const struct value *v, struct diagnostics *diag);
void scope_object(void *arg, const struct param *param, const struct value *v,
		  struct diagnostics *diag);

#endif
