/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_HOST_DEVICES_H
#define VBM_FABRIC_HOST_DEVICES_H

#include <verbatim/error.h>

/*
 * The RDMA devices that the processes of a host find in /dev/infiniband and
 * /sys/class/infiniband*. libibverbs lists no other, though the kernel tells it of
 * all. All processes of a host share these folders. The kernel does not change them:
 * whoever makes or removes the host's device calls host_devices_show().
 */

/*
 * On a host: it has the device @dev from now on, and no other; NULL: none at all.
 * Nothing happens where all devices are seen.
 */
int host_devices_show(const char *dev, struct vbm_error *err);

/* The calling process sees the devices of all hosts from now on, as the machine does. */
int host_devices_see_all(struct vbm_error *err);

#endif
