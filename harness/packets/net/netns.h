/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_NETNS_H
#define VBM_NET_NETNS_H

#include <verbatim/error.h>

/*
 * Network namespaces without names. Only descriptors keep such a namespace
 * alive, so it ends when a killed process loses them.
 */

/* The kernel's name of it, "net:[4026531840]"; "" without /proc. No two namespaces have the same one at a time. */
#define NETNS_NAME_MAX 32
void netns_name(char name[NETNS_NAME_MAX]);

/* Make a new, empty namespace. The caller stays in its namespace. */
int netns_new(int *fd, struct vbm_error *err);

/*
 * Run @fn in the namespace @fd (-1: in the present one) and come back. Returns the value
 * of @fn, or an error when the namespace could not be entered.
 */
int netns_call(int fd, int (*fn)(void *arg, struct vbm_error *err), void *arg,
	       struct vbm_error *err);

/* Open a socket in the namespace @fd. The socket stays there. */
int netns_socket(int fd, int domain, int type, int *sock, struct vbm_error *err);

/*
 * Set a setting below /proc/sys/net, in the namespace @fd (-1: the present one), to
 * @value. A setting that has the value already is not written, so a read-only /proc/sys
 * does no harm. -ENOENT: this kernel has no such setting. Use this function only for
 * settings of Verbatim's interfaces: nothing restores them, and they end with the
 * interface.
 */
int netns_sysctl_set(int fd, const char *path, const char *value, struct vbm_error *err);

#endif
