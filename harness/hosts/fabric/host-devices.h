/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_HOST_DEVICES_H
#define VBM_FABRIC_HOST_DEVICES_H

#include <verbatim/error.h>

/*
 * The RDMA devices that the processes of a host find in /dev/infiniband and
 * /sys/class/infiniband*. libibverbs lists only these, although the kernel reports all
 * devices. All processes of a host share these folders. The kernel does not change them,
 * so the function that makes or removes the host's device calls host_devices_show().
 */

/*
 * Called on a host: from now on it has the devices @dev and @second (NULL: none) and no other.
 * Nothing happens if the process sees all devices.
 */
int host_devices_show(const char *dev, const char *second, struct vbm_error *err);

/* From now on the calling process sees the devices of all hosts, as the machine does. */
int host_devices_see_all(struct vbm_error *err);

#endif
