/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_UNDO_H
#define VBM_FABRIC_UNDO_H

#include <stddef.h>

#include <verbatim/error.h>

/*
 * Last in, first out. An entry is data, a kind and its words, so that another
 * process can carry it out from the journal. Carrying out an entry whose thing
 * is not there succeeds: it may be done twice, or before the thing was made.
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

struct journal;
struct undo;

/* @journal: mirrored there; borrowed; NULL: nowhere. */
struct undo *undo_new(const struct undo_ops *ops, unsigned run, struct journal *journal);
void undo_free(struct undo *undo);	/* forgets; NULL is fine */

/* Push before the thing is made. The words end with NULL. */
int undo_push(struct undo *undo, struct vbm_error *err, const char *kind, ...)
	__attribute__((sentinel));

/*
 * Undo everything, whatever fails on the way. Returns 0 or the first failure,
 * after which what failed is still in the stack.
 */
int undo_unwind(struct undo *undo, struct vbm_error *err);

/* One entry; -EBADMSG when it makes no sense. */
int undo_one(const struct undo_ops *ops, unsigned run, char *const *words, int count,
	     struct vbm_error *err);

#endif
