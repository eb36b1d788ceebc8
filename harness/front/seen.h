/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_SEEN_H
#define VBM_FRONT_SEEN_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "lane/lane.h"

/* What the programs on a guest's hosts see of this machine, and what they may change. */
struct seen {
	struct shared_folder share[SHARED_FOLDERS_MAX];	/* their paths are owned */
	size_t shares;
	char **path;	/* owned, as each; @paths of them, and a NULL; besides the system's */
	size_t paths;
	bool all;	/* ... is seen, and @path means nothing */
};

/* "DIR", or "DIR:ro" for one that is only to be read. */
int seen_share(struct seen *s, const char *text, struct vbm_error *err);

/* A folder or file; the error says what of @option cannot be had. */
int seen_add(struct seen *s, const char *path, const char *option, struct vbm_error *err);

/*
 * The folder that this program is in, with its build. With the root of a suite that is
 * everybody's, or has the caller's home in it, there would be more to see than
 * a suite: then it is left out, with a warning.
 */
void seen_add_own(struct seen *s);
void seen_add_suite(struct seen *s, const char *root);

/* Into the options of a lane, as long as @s is there. */
void seen_put(const struct seen *s, struct lane_options *opts);
void seen_fini(struct seen *s);

#endif
