/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_CHECK_H
#define VBM_COMPILE_CHECK_H

#include "compile/scope.h"

/* The compiler's state: what is made, what is wrong, what is known so far. */
struct checker {
	struct scenario *s;
	struct diagnostics *diag;
	struct scope scope;
};

/* The "steps:" list, in order. */
void check_steps(struct checker *c, struct value *list);

/* One item; @pos stands in for positions the item does not have. */
void check_step(struct checker *c, struct value *item);

/* "qps:": the steps that bring queue pairs up, before those of the file. */
void check_qps(struct checker *c, struct value *map);

/* What the head says of names; see names.h. */
void check_dns(struct checker *c, struct value *v);
void check_hosts(struct checker *c, struct value *v);
void check_services(struct checker *c, struct value *v);
void check_resolv(struct checker *c, struct value *v);
void check_acm(struct checker *c, struct value *v);

/* Once the steps are known: those about a server need it. */
void check_names_used(struct checker *c);

/* A head key that takes one non-empty text; NULL and a diagnostic otherwise. */
const char *check_text(struct checker *c, const char *key, const struct value *v);

#endif
