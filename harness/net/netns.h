/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_NETNS_H
#define VBM_NET_NETNS_H

#include <verbatim/error.h>

/*
 * Network namespaces without names. Only descriptors keep such a namespace
 * alive, so it ends when a killed process loses them.
 */

/* The namespace of the calling thread. Owned by the caller. */
int netns_current(int *fd, struct vbm_error *err);

/* A new, empty one; the caller's own stays as it is. */
int netns_new(int *fd, struct vbm_error *err);

/*
 * Run @fn in the namespace @fd (-1: right here) and come back. Returns what
 * @fn returns, or why the namespace could not be entered.
 */
int netns_call(int fd, int (*fn)(void *arg, struct vbm_error *err), void *arg,
	       struct vbm_error *err);

/* A socket opened in the namespace @fd. The socket stays there. */
int netns_socket(int fd, int domain, int type, int *sock, struct vbm_error *err);

/*
 * Give a setting below /proc/sys/net, as the namespace @fd (-1: this one) shows
 * it, a value of one letter. A setting that has the value already is not
 * written, so a read-only /proc/sys does no harm. -ENOENT: this kernel has no
 * such setting. Use it only for settings of Verbatim's own interfaces: nothing
 * sets them back, they go away with the interface.
 */
int sysctl_set(int fd, const char *path, const char *value, struct vbm_error *err);

#endif
