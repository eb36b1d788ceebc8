/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RDMA_BUILD_TREE_AGE_H
#define VBM_RDMA_BUILD_TREE_AGE_H

#include "rdma-build/rdma-tree.h"

/*
 * If a source is newer than the build that cmake made of it: a sentence that names the
 * source and says what to do, which the caller frees. Else NULL, and also if the tree is
 * no build or its sources are missing.
 */
char *rdma_tree_older_than(const struct rdma_tree *t);

#endif
