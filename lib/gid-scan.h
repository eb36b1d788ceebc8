/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_GID_SCAN_H
#define VBM_LIB_GID_SCAN_H

#include <stdbool.h>

#include "addr.h"

/*
 * Search the GID tables under @sys for @a, see gids.h. When an entry was found
 * *@fd is its open file, the caller's to close.
 */
bool vbm_gid_scan(const char *sys, const union addr *a, int *fd);

#endif
