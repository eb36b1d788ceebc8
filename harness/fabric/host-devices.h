/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_HOST_DEVICES_H
#define VBM_FABRIC_HOST_DEVICES_H

#include <verbatim/error.h>

/*
 * The RDMA devices that a host has for who stands on it, in /dev/infiniband and
 * /sys/class/infiniband*. libibverbs lists none that it does not find there, though
 * the kernel tells it of all. All processes of a host share one picture, which does
 * not change by itself: who makes or removes the host's device says so.
 */

/*
 * On a host: it has the device @dev from now on, and no other; NULL: none at all.
 * Nothing happens where all devices are seen.
 */
int host_devices_show(const char *dev, struct vbm_error *err);

/* The calling process sees the devices of all hosts from now on, as the machine does. */
int host_devices_see_all(struct vbm_error *err);

#endif
