/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_NETNS_H
#define VBM_NET_NETNS_H

#include <verbatim/error.h>

/*
 * Network namespaces without names: a descriptor is all that keeps one alive,
 * so a killed process leaves none behind.
 */

/* The namespace of the calling thread. Owned by the caller. */
int netns_current(int *fd, struct vbm_error *err);

/* A new, empty one; the caller's own stays as it is. */
int netns_new(int *fd, struct vbm_error *err);

/*
 * Run @fn in the namespace @fd (-1: right here) and come back. Returns what
 * @fn does, or why the namespace could not be entered.
 */
int netns_call(int fd, int (*fn)(void *arg, struct vbm_error *err), void *arg,
	       struct vbm_error *err);

/* A socket opened in the namespace @fd stays there. */
int netns_socket(int fd, int domain, int type, int *sock, struct vbm_error *err);

#endif
