/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_SCOPE_H
#define VBM_COMPILE_SCOPE_H

#include "base/diag.h"
#include "plan/fit.h"
#include "plan/plan.h"

/* What a step can name: the hosts, and what the steps before it made. */
struct scope_name {
	int actor;
	char *as;			/* owned */
	enum object_kind object;	/* OBJECT_NONE: a record only */
	const struct step_kind *kind;	/* borrowed; NULL: no record */
	struct pos pos;
};

struct scope {
	struct variant *variant;	/* borrowed */
	int hosts;			/* that steps can name */
	int actor;			/* whose step is being checked */
	struct scope_name *name;	/* owned */
	size_t count;
};

void scope_fini(struct scope *scope);

/* Forget what was defined after the first @count names. */
void scope_cut(struct scope *scope, size_t count);

/* @as and the objects that come along with it. */
void scope_define(struct scope *scope, int actor, const char *as,
		  const struct step_kind *kind, struct pos pos);

/* Only the objects: there is no result to refer to. */
void scope_define_objects(struct scope *scope, int actor, const char *as,
			  const struct step_kind *kind, struct pos pos);

/* "a", "a.1", "wire": the actor's index in the variant; -1 and a diagnostic. */
int scope_actor(struct scope *scope, const char *name, size_t len, struct pos pos,
		struct diagnostics *diag);

/* For struct fit_scope; @arg is the scope. */
enum fit_kind scope_kind_of(void *arg, const struct value *v, struct diagnostics *diag);
void scope_object(void *arg, const struct param *param, const struct value *v,
		  struct diagnostics *diag);

#endif
