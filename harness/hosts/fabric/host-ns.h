/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_HOST_NS_H
#define VBM_FABRIC_HOST_NS_H

#include <sys/types.h>
#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "fabric/fabric.h"

/*
 * The namespaces of a host: network (in layout netns), mounts and host name. They are
 * made once for a fabric, and each process of the host enters them. In them:
 *
 *   the host's name                           is "a"
 *   /sys                                      shows the host's network
 *   /dev/infiniband, /sys/class/infiniband*   have only the host's device:
 *                                             host-devices.h
 *
 * If programs run on the host, and not only agents, then also:
 *
 *   /etc/hosts                                has the names a, b, c of the hosts
 *   /tmp                                      keeps new files on this host
 *   /dev/shm                                  is the host's own, and empty at first
 *   configfs, debugfs, tracefs                are mounted if the kernel has them
 */
struct host_ns {
	int net;	/* borrowed from the fabric; -1: the namespace of the maker */
	int mnt, uts;	/* owned by the fabric */
	int root;	/* owned by the fabric: the root folder in @mnt */
};

#define HOST_NS_NONE {.net = -1, .mnt = -1, .uts = -1, .root = -1}

/* The processes that will run on a host. */
struct host_use {
	bool programs;		/* programs of the machine, and not only agents */
	const char *root;	/* their root folder; NULL: the caller's */
};

/* Make the namespaces of all hosts. Earlier ones with the same use stay. */
int fabric_make_namespaces(struct fabric *fabric, const struct host_use *use,
			   struct vbm_error *err);

/*
 * Close the namespaces. Files that programs wrote there are lost. Processes in the
 * namespaces keep them alive.
 */
void fabric_drop_namespaces(struct fabric *fabric);

/* Borrowed; NULL before fabric_make_namespaces(). */
const struct host_ns *fabric_namespaces(const struct fabric *fabric, int i);

/* The host that process @pid is on; -1 if it is on none, or if its namespaces are its own. */
int fabric_host_of(const struct fabric *fabric, pid_t pid);

/*
 * The descriptors of all namespaces, for children that enter hosts; returns their number.
 * A missing one is -1.
 */
#define FABRIC_NAMESPACE_FDS_MAX (4 * FABRIC_HOSTS_MAX)
size_t fabric_namespace_fds(const struct fabric *fabric, int fds[FABRIC_NAMESPACE_FDS_MAX]);

/* Move the calling process, which must have one thread, to the host, into the folder "/". */
int host_ns_enter(const struct host_ns *ns, struct vbm_error *err);

#endif
