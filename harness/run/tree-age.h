/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_TREE_AGE_H
#define VBM_RUN_TREE_AGE_H

#include "run/rdma-tree.h"

/*
 * What a build that cmake made is older than: a sentence that names a source and
 * what to do, which the caller frees. NULL where no source is newer than what was
 * compiled of it, and where the tree is no build or its sources are elsewhere.
 */
char *rdma_tree_older_than(const struct rdma_tree *t);

#endif
