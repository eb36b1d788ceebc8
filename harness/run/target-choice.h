/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_TARGET_CHOICE_H
#define VBM_RUN_TARGET_CHOICE_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "run/rdma-tree.h"

/*
 * What "verbatim run" measures. An rdma-core of one's own is of the kind "system"
 * like the machine's: conditions, editions and findings of that apply,
 * with the tree's version. Its runner is started with the tree's libraries.
 */
struct target_choice {
	char *name;		/* owned; "system", "reference", or the path of another library */
	const char *librdmacm;	/* the file, for reports */
	char *version;		/* owned; of rdma-core, "65.0" */
	struct rdma_tree tree;	/* its members are NULL: not of a tree */
	char *variable[3];	/* owned */
	const char *environment[4];	/* for lane_options; the first is NULL: none */
	const char *files[6];	/* what a guest needs of this machine, up to a NULL */
};

/* "system" or "reference", and no path. */
bool target_is_named(const char *name);

/*
 * @name: system, reference, a folder or a file. @version: what the user says, or
 * NULL for what the files tell.
 */
int target_choice_settle(struct target_choice *t, const char *name, const char *version,
			 struct vbm_error *err);
void target_choice_fini(struct target_choice *t);

#endif
