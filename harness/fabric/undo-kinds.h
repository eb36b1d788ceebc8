/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_UNDO_KINDS_H
#define VBM_FABRIC_UNDO_KINDS_H

#include "net/nl.h"
#include "fabric/undo.h"

/*
 * What a fabric can leave in the namespace it was made from:
 *	link NAME		an interface
 *	rdma NAME		an RDMA device
 *	rule FAMILY PREF TABLE PROTO IIF FROM TO	a rule we added
 *	default-rule FAMILY	the kernel's "lookup local" rule, which we took away
 *	namespaces		nothing: it had some, and they go by themselves
 * The context is a struct netlink. Names that do not carry the run's id are
 * refused, so that a garbled journal cannot remove anybody else's things.
 */
extern const struct undo_kind undo_kinds[];

int undo_push_rule(struct undo *undo, const struct rule *rule, struct vbm_error *err);

/* The kernel's own first rule of a family. */
struct rule rule_default_local(int family);

#endif
