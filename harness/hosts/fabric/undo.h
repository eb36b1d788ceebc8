/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_UNDO_H
#define VBM_FABRIC_UNDO_H

#include <stddef.h>

#include <verbatim/error.h>

/*
 * A stack of entries to undo, last in, first out. An entry is data, a kind and its words,
 * so another process can execute it from the journal. Executing an entry whose thing does
 * not exist succeeds: an entry may be executed twice, or before its thing was made.
 */
#define UNDO_WORDS_MAX 8	/* with the kind */

struct undo_kind {
	const char *name;
	int words;		/* after the name */
	int (*undo)(void *ctx, unsigned run, char *const *words, struct vbm_error *err);
};

struct undo_ops {
	const struct undo_kind *kinds;	/* ends with a NULL name */
	void *ctx;
};

/*
 * Everything that a fabric can leave in the namespace from which it was made:
 *	link NAME		an interface
 *	rdma NAME		an RDMA device
 *	rule FAMILY PREF TABLE PROTO IIF FROM TO	a rule that the fabric added
 *	default-rule FAMILY	the kernel's "lookup local" rule, which the fabric removed
 *	namespaces		nothing to undo: the fabric's namespaces end by themselves
 * and the state of a machine, from before a scenario that changed it. NAME is its interface with the number
 * INDEX, and BYTES are struct net_setting in base64:
 *	place NAMESPACE		nothing to undo: the entries are about this network namespace
 *	interface NAME INDEX up|down MTU
 *	address, neighbour, route NAME INDEX IP BYTES	it was there
 *	added-address, added-neighbour NAME INDEX IP	it was not there
 *	added-routes NAME INDEX	those of our protocol number; "route" puts back those that were there before
 *	device NAME INTERFACE TYPE	the RDMA device
 * The context is a struct netlink. A fabric's name without the run's id is refused, so a
 * damaged journal cannot remove things that belong to others.
 */
extern const struct undo_kind undo_kinds[];

struct journal;
struct rule;
struct undo;

/* @journal is borrowed and gets every entry as well; NULL: no journal. */
struct undo *undo_new(const struct undo_ops *ops, unsigned run, struct journal *journal);
void undo_free(struct undo *undo);	/* undoes nothing; NULL is allowed */

/* Push an entry before its thing is made. The words end with NULL. */
int undo_push(struct undo *undo, struct vbm_error *err, const char *kind, ...)
	__attribute__((sentinel));
int undo_push_rule(struct undo *undo, const struct rule *rule, struct vbm_error *err);

/* The kernel's first rule of a family, as "default-rule" restores it. */
struct rule rule_default_local(int family);

/*
 * Undo all entries, even after failures. Returns 0 or the first failure; entries that
 * failed remain on the stack.
 */
int undo_unwind(struct undo *undo, struct vbm_error *err);
/* The same for those above the first @count. If all could be undone, their lines leave the journal. */
int undo_unwind_to(struct undo *undo, size_t count, struct vbm_error *err);
size_t undo_count(const struct undo *undo);

/* Execute one entry. -EBADMSG: the entry is invalid. */
int undo_one(const struct undo_ops *ops, unsigned run, char *const *words, int count,
	     struct vbm_error *err);

#endif
