/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_KEPT_H
#define VBM_LANE_KEPT_H

#include <verbatim/error.h>

/*
 * What a guest writes for the folder of --output. It never sees that folder: it gets
 * an empty one in it, and when its machine has ended the regular files come out of that.
 */

/* The only file that lies beside the folders of the hosts. */
#define KEPT_CAPTURE "capture.pcapng"

/* A new folder for it in @artifacts. The caller frees *@path. */
int kept_make(const char *artifacts, char **path, struct vbm_error *err);

/*
 * Move KEPT_CAPTURE and the files in the folders of hosts from @path to @artifacts: under
 * their own names, where nothing has that name, with the caller as their owner.
 * Links, and whatever else is there, are left out, which @say hears. Then @path goes.
 */
void kept_take(const char *path, const char *artifacts, void (*say)(const char *line, void *arg),
	       void *arg);

#endif
