/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WORKER_SEEN_H
#define VBM_WORKER_SEEN_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "lane/lane.h"

/*
 * The files of this machine that the programs on a guest's hosts see, and those that they
 * may change.
 */
struct seen {
	struct shared_folder share[SHARED_FOLDERS_MAX];	/* their paths are owned */
	size_t shares;
	/* @paths entries and a NULL, besides the system's paths; owned, and each entry too. */
	char **path;
	size_t paths;
	bool all;	/* programs see all files, and @path has no effect */
};

/* @text is "DIR", or "DIR:ro" for a folder that programs may only read. */
int seen_share(struct seen *s, const char *text, struct vbm_error *err);

/* Adds a folder or file; an error names @option. */
int seen_add(struct seen *s, const char *path, const char *option, struct vbm_error *err);

/*
 * Adds this program's folder, with its build. The next function adds the root of a suite.
 * If everybody may write to the root, or if it contains the caller's home, programs would
 * see more than a suite: then the root is left out, with a warning.
 */
void seen_add_own(struct seen *s);
void seen_add_suite(struct seen *s, const char *root);

/* Puts them into the options of a lane, which borrow from @s. */
void seen_put(const struct seen *s, struct lane_options *opts);
void seen_fini(struct seen *s);

#endif
