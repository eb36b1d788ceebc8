/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RDMA_BUILD_TARGET_CHOICE_H
#define VBM_RDMA_BUILD_TARGET_CHOICE_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "rdma-build/rdma-tree.h"
#include "names/device-words.h"

/*
 * The target of a run. A build of rdma-core counts as "system", like the
 * machine's: its conditions, editions and findings apply, with the build's version. Its
 * runner is started with the build's libraries.
 */
struct target_choice {
	struct device_words devices;	/* of the hosts; set before the target is settled */
	char *name;		/* owned; "system", "reference", or the path of another library */
	const char *librdmacm;	/* its file, for reports */
	char *version;		/* owned; of rdma-core, "65.0" */
	struct rdma_tree tree;	/* its members are NULL if the target is no build */
	char *variable[3];	/* owned */
	const char *environment[4];	/* for lane_options; the first is NULL: none */
	const char *files[4 + 2 * DEVICE_TYPES_MAX];	/* the files of this machine that a guest needs, ending with NULL */
};

/* "system" or "reference", and no path. */
bool target_is_named(const char *name);

/*
 * @name is system, reference, a folder or a file. @version is the user's, or NULL to take
 * the version from the files. @over, or NULL, is an object over a build: the calls that it
 * defines are its own, the others are those of the build.
 */
int target_choice_settle(struct target_choice *t, const char *name, const char *version,
			 const char *over, struct vbm_error *err);

/*
 * Only the build of rdma-core at @path, for programs that shall use it: fills in @tree and
 * @environment. The errors are those of rdma_tree_open().
 */
int target_choice_settle_build(struct target_choice *t, const char *path, struct vbm_error *err);
void target_choice_fini(struct target_choice *t);

#endif
