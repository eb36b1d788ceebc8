/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_BARE_FABRIC_H
#define VBM_TESTS_BARE_FABRIC_H

#include "fabric/fabric.h"

/*
 * Real fabrics in a network namespace of the test's own, for VBM_TESTS_BETWEEN. They have
 * no RDMA devices, so that they work on machines without RDMA.
 */
int bare_fabrics_begin(void **state);
int bare_fabrics_end(void **state);

/* The caller frees it. Skips the test if this user cannot make a fabric. */
struct fabric *bare_fabric(enum layout layout, int hosts);

#endif
