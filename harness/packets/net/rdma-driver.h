/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_RDMA_DRIVER_H
#define VBM_NET_RDMA_DRIVER_H

#include <stdbool.h>

struct device_type;

/* Whether the running kernel has the driver, built in or as a loaded module. */
bool rdma_driver_is_there(const struct device_type *type);

#endif
