/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINES_OWN_HOST_H
#define VBM_MACHINES_OWN_HOST_H

#include <verbatim/error.h>

struct device_type;

/*
 * For a kernel that is host @number of a fabric: brings up @netdev, the end of the host's wire, with the
 * host's addresses, and makes its RDMA device. Nothing is undone, as the kernel ends with the fabric.
 */
int own_host_make(int number, const char *netdev, const struct device_type *type, struct vbm_error *err);

#endif
