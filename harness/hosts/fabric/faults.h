/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_FAULTS_H
#define VBM_FABRIC_FAULTS_H

#include <stdint.h>

#include <verbatim/error.h>

#include "fabric/fabric.h"
#include "names/cable-fault.h"

/*
 * Gives the cable of host @i these faults in the direction from the host. It keeps them
 * until the fabric ends. -EOPNOTSUPP: the kernel has no netem. Call it once for a host.
 */
int fabric_set_faults(struct fabric *fabric, int i, const struct cable_faults *faults,
		      struct vbm_error *err);

/* The number of packets that the faults have taken from what host @i sent; 0 without faults. */
int fabric_dropped(struct fabric *fabric, int i, uint64_t *count, struct vbm_error *err);

/* Borrowed: the text of the host's faults; "" without any. */
const char *fabric_faults(const struct fabric *fabric, int i);

#endif
