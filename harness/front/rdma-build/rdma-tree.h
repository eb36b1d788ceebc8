/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RDMA_BUILD_RDMA_TREE_H
#define VBM_RDMA_BUILD_RDMA_TREE_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the names of the libraries of a build.
 * Ends:    with the command.
 * Tests:   unit/test_rdma_tree, test_caller; tests/guest/target.test.
 */

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "names/device-words.h"

/*
 * A build of rdma-core: a build tree of cmake, or a folder in which it was installed or
 * unpacked. All members are owned; all paths are without links.
 */
struct rdma_tree {
	char *dir;		/* the folder that the user named */
	char *lib;		/* the folder of the libraries */
	char *librdmacm;	/* lib/librdmacm.so.1, the name that the dynamic linker looks for */
	char *libibverbs;	/* lib/libibverbs.so.1 */
	char *provider[DEVICE_TYPES_MAX];	/* those that this libibverbs loads; NULL: the tree lacks that of this type */
	char *config[DEVICE_TYPES_MAX];	/* etc/libibverbs.d/rxe.driver and so on, or NULL */
	char *file;		/* the file that librdmacm.so.1 leads to */
	char *services;		/* where it looks for the path service; NULL: unknown */
	char version[32];	/* "65.0"; empty if unknown */
};

/*
 * @path is the folder, or librdmacm itself in its folder. @devices are the types of the hosts' devices
 * (NULL: the default), whose providers must be there. Returns -ENOENT if there is no
 * such tree or a part is missing, -ENOEXEC if it is for another machine, -EINVAL if the
 * dynamic linker cannot use the path. @err names the file and says what to do.
 */
int rdma_tree_open(struct rdma_tree *t, const char *path, const struct device_words *devices,
		   struct vbm_error *err);
void rdma_tree_fini(struct rdma_tree *t);

/* Whether the file at @path is the librdmacm of a whole tree. */
bool rdma_tree_has(const char *path);

/*
 * Whether this program can load the file at @path: 0, or -ENOEXEC if it is no shared object or one for another machine,
 * or the errno of opening it. The dynamic linker would silently skip a file for another machine, and take the system's.
 */
int rdma_tree_check_object(const char *path, struct vbm_error *err);

/*
 * If a source is newer than the build that cmake made of it: a sentence that names the
 * source and says what to do, which the caller frees. Else NULL, and also if the tree is
 * no build or its sources are missing.
 */
char *rdma_tree_older_than(const struct rdma_tree *t);

#endif
