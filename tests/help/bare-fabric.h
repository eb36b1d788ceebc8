/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_BARE_FABRIC_H
#define VBM_TESTS_BARE_FABRIC_H

#include "fabric/fabric.h"

/*
 * Real fabrics in a network namespace of the test's own, without RDMA devices, for machines
 * that have none: for VBM_TESTS_BETWEEN.
 */
int bare_fabrics_begin(void **state);
int bare_fabrics_end(void **state);

/* The caller frees it. Skips the test where this user cannot make one. */
struct fabric *bare_fabric(enum layout layout, int hosts);

#endif
