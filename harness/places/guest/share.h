/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_SHARE_H
#define VBM_GUEST_SHARE_H

#include <stdbool.h>

#define SHARED_FOLDERS_MAX 8

/* The processes in a guest that see this machine's file system, with a layer in memory over it. */
enum guest_files {
	GUEST_FILES_NOBODY,	/* nobody: the image has all files */
	GUEST_FILES_PROGRAMS,	/* the programs on hosts for programs */
	GUEST_FILES_ALL,	/* the runner, too */
};

/* A folder of this machine that a guest sees as it is, without a layer over it. */
struct shared_folder {
	char *path;	/* absolute */
	bool readonly;
};

#endif
