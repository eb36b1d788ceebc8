/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_UNDO_H
#define VBM_FABRIC_UNDO_H

#include <stddef.h>

#include <verbatim/error.h>

/*
 * A stack of what has to be undone, last in, first out. An entry is data, a kind
 * and its words, so another process can carry the entry out from the journal.
 * To carry out an entry whose thing is not there succeeds: an entry may be
 * carried out twice, or before its thing was made.
 */
#define UNDO_WORDS_MAX 8	/* the kind among them */

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
 * What a fabric can leave in the namespace it was made from:
 *	link NAME		an interface
 *	rdma NAME		an RDMA device
 *	rule FAMILY PREF TABLE PROTO IIF FROM TO	a rule that the fabric added
 *	default-rule FAMILY	the kernel's "lookup local" rule, which the fabric removed
 *	namespaces		nothing: it had namespaces, and they end by themselves
 * The context is a struct netlink. A name without the run's id is refused, so a
 * garbled journal cannot remove what is not of that run.
 */
extern const struct undo_kind undo_kinds[];

struct journal;
struct rule;
struct undo;

/* @journal: borrowed; gets every entry, too; NULL: there is none. */
struct undo *undo_new(const struct undo_ops *ops, unsigned run, struct journal *journal);
void undo_free(struct undo *undo);	/* undoes nothing; NULL is fine */

/* Push an entry before its thing is made. The words end with NULL. */
int undo_push(struct undo *undo, struct vbm_error *err, const char *kind, ...)
	__attribute__((sentinel));
int undo_push_rule(struct undo *undo, const struct rule *rule, struct vbm_error *err);

/* The kernel's own first rule of a family, as "default-rule" restores it. */
struct rule rule_default_local(int family);

/*
 * Undo everything, whatever fails on the way. Returns 0 or the first failure;
 * entries that failed are still in the stack then.
 */
int undo_unwind(struct undo *undo, struct vbm_error *err);

/* Carry out one entry; -EBADMSG when it makes no sense. */
int undo_one(const struct undo_ops *ops, unsigned run, char *const *words, int count,
	     struct vbm_error *err);

#endif
