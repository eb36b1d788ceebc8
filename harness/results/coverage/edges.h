/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_EDGES_H
#define VBM_COVERAGE_EDGES_H

#include "coverage/uses.h"

/*
 * The transitions of queue pairs as codes. The set has no entries of its
 * own: the value of a code is an index into the table of <verbatim/qp.h>.
 */
extern const struct const_set edge_set;

/* "RC:INIT-RTR"; NULL beyond the table. The caller frees it. */
char *edge_name(size_t index);

/*
 * Reports every transition that modify_qp makes in @v. The earlier calls say in
 * which state a queue pair is. The state of a queue pair that rdma_cm made is
 * not known.
 */
void edges_collect(const struct variant *v, code_use_fn *fn, void *arg);

#endif
