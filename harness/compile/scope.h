/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_SCOPE_H
#define VBM_COMPILE_SCOPE_H

#include "base/diag.h"
#include "compile/scenario.h"

/* What a step can name: the variables, the hosts, and what came before it. */
struct scope_name {
	int host;
	char *as;			/* owned */
	enum object_kind object;	/* OBJECT_NONE: a record only */
	const struct step_kind *kind;	/* borrowed; NULL: no record */
	struct pos pos;
};

struct scope {
	const struct value *vary;	/* borrowed; map of lists, or NULL */
	int hosts;
	struct scope_name *name;	/* owned */
	size_t count;
	size_t *checks;			/* borrowed; see scope_value() */
};

/* A file that asks for more than this would keep its reader waiting. */
#define SCOPE_CHECKS_MAX 1000000

/* What a reference stands for: exactly one of the three is set. */
struct ref_target {
	const struct value *values;	/* list: every value of a variable */
	const struct host_fact *fact;
	const struct field *field;
};

void scope_fini(struct scope *scope);

/* The latest of that name: once destroyed, a name can be given again. */
const struct scope_name *scope_find(const struct scope *scope, int host, const char *as);

/* @as and the objects that come along with it. */
void scope_define(struct scope *scope, int host, const char *as,
		  const struct step_kind *kind, struct pos pos);

/* The closest name on @host that makes @object (any when OBJECT_NONE). */
const char *scope_suggest(const struct scope *scope, int host, const char *as,
			  enum object_kind object);

/* Look @ref up; false and a diagnostic when it stands for nothing. */
bool scope_resolve(const struct scope *scope, const struct value *ref,
		   struct diagnostics *diag, struct ref_target *out);

/*
 * The @i-th value that @ref, a variable, can have: a copy with the position of
 * the reference, so that what is wrong with it is told there. NULL at the end,
 * or when a file wants too many of them.
 */
struct value *scope_value(const struct scope *scope, const struct value *ref,
			  const struct ref_target *target, size_t i,
			  struct diagnostics *diag);

#endif
