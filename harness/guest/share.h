/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_SHARE_H
#define VBM_GUEST_SHARE_H

#include <stdbool.h>

#define SHARED_FOLDERS_MAX 8

/* A folder of this machine that a guest sees as it is, without a layer over it. */
struct shared_folder {
	char *path;	/* absolute */
	bool readonly;
};

#endif
