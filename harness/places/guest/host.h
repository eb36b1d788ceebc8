/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_HOST_H
#define VBM_GUEST_HOST_H

struct device_type;

/*
 * A user-mode kernel that is one host of a fabric: its init makes the host's device and starts a
 * station (machine-station/station.h) in the place of the runner.
 */
struct guest_host {
	int number;	/* of the host, from 0 */
	int wire_fd;	/* its end of the wire: each datagram is a frame; borrowed */
	const struct device_type *device;	/* NULL: the default */
};

/* The interface at the end of the wire, and its MTU: 4096 bytes of payload with all headers. */
#define GUEST_WIRE_NETDEV "vec0"
#define GUEST_WIRE_MTU 4500

#endif
