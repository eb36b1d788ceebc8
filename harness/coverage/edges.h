/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_EDGES_H
#define VBM_COVERAGE_EDGES_H

#include "coverage/uses.h"

/*
 * The transitions of queue pairs as codes. The set has no entries: the table of
 * <verbatim/qp.h> does, and a code's value is an index into it.
 */
extern const struct const_set edge_set;

/* "RC:INIT-RTR"; for the caller to free. NULL beyond the table. */
char *edge_name(size_t index);

/*
 * Every transition that modify_qp makes in @v: where a queue pair is, follows
 * from the calls before. A queue pair that rdma_cm made is where nobody knows.
 */
void edges_collect(const struct variant *v, code_use_fn *fn, void *arg);

#endif
