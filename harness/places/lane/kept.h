/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_KEPT_H
#define VBM_LANE_KEPT_H

#include <verbatim/error.h>

/*
 * The files that a guest writes for the folder of --output. The guest never sees that
 * folder. It gets an empty folder in it, and when the guest has ended, the regular files
 * are moved out.
 */

/* The only file beside the folders of the hosts. */
#define KEPT_CAPTURE "capture.pcapng"

/* A new folder for it in @artifacts. The caller frees *@path. */
int kept_make(const char *artifacts, char **path, struct vbm_error *err);

/*
 * Moves KEPT_CAPTURE and the files in the folders of hosts from @path to @artifacts,
 * under their own names if these are free, with the caller as their owner. Leaves out
 * links and everything else, and tells @say. Then removes @path.
 */
void kept_take(const char *path, const char *artifacts, void (*say)(const char *line, void *arg),
	       void *arg);

#endif
