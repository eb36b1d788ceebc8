/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_RDMA_TREE_H
#define VBM_RUN_RDMA_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * An rdma-core of one's own: a build tree as its cmake makes it, or a folder it
 * was installed or unpacked to. All is owned; all paths are real.
 */
struct rdma_tree {
	char *dir;		/* what was named */
	char *lib;		/* the folder of the libraries */
	char *librdmacm;	/* lib/librdmacm.so.1: what the dynamic linker looks for */
	char *libibverbs;	/* lib/libibverbs.so.1 */
	char *provider;		/* of rxe, the one that this libibverbs loads */
	char *config;		/* etc/libibverbs.d/rxe.driver, or NULL */
	char *file;		/* the file that librdmacm.so.1 stands for */
	char *services;		/* where it looks for the path service; NULL: unknown */
	char version[32];	/* "65.0"; empty: the tree does not tell */
};

/*
 * @path: the folder, or librdmacm itself in its folder. -ENOENT: no such tree,
 * or a part of it is missing; -ENOEXEC: for another machine; -EINVAL: the
 * path cannot be handed to the dynamic linker. @err names the file and what to do.
 */
int rdma_tree_open(struct rdma_tree *t, const char *path, struct vbm_error *err);
void rdma_tree_fini(struct rdma_tree *t);

/* Whether the file at @path is the librdmacm of a whole tree. */
bool rdma_tree_has(const char *path);

#endif
