/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_HOST_NS_H
#define VBM_FABRIC_HOST_NS_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "fabric/fabric.h"

/*
 * The namespaces of a host: network (where the layout has it), mounts, host name.
 * They are made once for a fabric and entered by each process of the host. In them:
 *
 *   the host's name                           is "a"
 *   /sys                                      shows the host's network
 *   /dev/infiniband, /sys/class/infiniband*   have the host's own device only:
 *                                             host-devices.h
 *
 * and where the host is for programs, not only for agents,
 *
 *   /etc/hosts                                knows the hosts as a, b, c
 *   /tmp                                      takes writing of this host alone
 *   /dev/shm                                  is its own, empty
 *   configfs, debugfs, tracefs                are mounted where the kernel has them
 */
struct host_ns {
	int net;	/* -1: the maker's own; borrowed from the fabric */
	int mnt, uts;	/* owned by the fabric */
	int root;	/* owned by the fabric: the root folder in there */
};

#define HOST_NS_NONE {.net = -1, .mnt = -1, .uts = -1, .root = -1}

/* Who will stand on a host. */
struct host_use {
	bool programs;		/* programs of the machine, not only agents */
	const char *root;	/* their root folder; NULL: the caller's own */
};

/* Make those of all hosts. What was made before stays, and was for the same use. */
int fabric_make_namespaces(struct fabric *fabric, const struct host_use *use,
			   struct vbm_error *err);

/* What programs wrote into them goes, too. Processes that stand in them keep them. */
void fabric_drop_namespaces(struct fabric *fabric);

/* Borrowed; NULL before fabric_make_namespaces(). */
const struct host_ns *fabric_namespaces(const struct fabric *fabric, int i);

/* For children that enter hosts: the descriptors of all namespaces, and how many. -1 for none. */
#define FABRIC_NAMESPACE_FDS_MAX (4 * FABRIC_HOSTS_MAX)
size_t fabric_namespace_fds(const struct fabric *fabric, int fds[FABRIC_NAMESPACE_FDS_MAX]);

/* The calling process, which has one thread, is on the host from now on, at "/". */
int host_ns_enter(const struct host_ns *ns, struct vbm_error *err);

#endif
