/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_GID_TABLE_H
#define VBM_LIB_RESOLVE_GID_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/addr.h"

/* Read "fe80:0000:...:0001", the format in which sysfs prints a GID. */
bool vbm_gid_from_text(const char *text, uint8_t gid[16]);

/*
 * Whether a local RDMA device answers to @a, an address of this host. It does when a GID
 * table under @sys has the address for an interface that holds the address here, or when
 * the address belongs to an IP-over-InfiniBand interface. @socket is any socket of the
 * calling thread's network namespace. Needs no privilege and opens no device. 1, 0, or a
 * negative errno when memory or descriptors ran out.
 *
 * The answer is cached for each network namespace: a "yes" for 10 ms, after which only its
 * table entry is read again, a "no" for 50 ms. No file stays open between calls. Safe in
 * threads and after fork.
 */
int vbm_gids_have(const char *sys, int socket, const union addr *a);

#endif
