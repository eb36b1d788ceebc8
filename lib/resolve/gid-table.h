/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_GID_TABLE_H
#define VBM_LIB_GID_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/addr.h"

/* "fe80:0000:...:0001", as sysfs prints a GID. */
bool vbm_gid_from_text(const char *text, uint8_t gid[16]);

/*
 * Whether @a, an address of this host, is one that a local RDMA device answers
 * to: it stands in a GID table under @sys for an interface that holds the
 * address here, or belongs to an IP-over-InfiniBand interface. @socket is any
 * socket of the calling thread's network namespace. Needs no privilege and
 * opens no device. 1, 0, or a negative errno when memory or descriptors ran out.
 *
 * The answer is cached for each network namespace: a "yes" for 10 ms, after
 * which only its entry is read again, a "no" for 50 ms. No file stays open
 * between calls. Safe in threads and after fork.
 */
int vbm_gids_have(const char *sys, int socket, const union addr *a);

#endif
