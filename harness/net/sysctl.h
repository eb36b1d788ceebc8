/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_SYSCTL_H
#define VBM_NET_SYSCTL_H

#include <verbatim/error.h>

/*
 * Give a setting below /proc/sys/net, as the namespace (-1: this one) sees it,
 * a one-letter value. What has it already is not written to, so that a
 * read-only /proc/sys does no harm. -ENOENT: this kernel has no such setting.
 * Only for settings of interfaces of ours: they go away with the interface.
 */
int sysctl_set(int netns, const char *path, const char *value, struct vbm_error *err);

#endif
