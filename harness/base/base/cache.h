/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CACHE_H
#define VBM_BASE_CACHE_H

#include <stdbool.h>

#include <verbatim/error.h>

/*
 * "~/.cache/verbatim/SUB", or below XDG_CACHE_HOME if that is set. For a user without a
 * home it is below a private folder of this user in /tmp. No other user may be able to
 * write there. The caller frees.
 */
char *cache_path(const char *sub);

/* Make the folder @path of the cache. The error names the variable to set. */
int cache_make(const char *path, struct vbm_error *err);

/*
 * Make a folder SUB for temporary files: in the cache or, if this user cannot write there,
 * in a private folder of this user in XDG_RUNTIME_DIR, TMPDIR, /tmp or /dev/shm. A folder
 * that another user has made there before is not used. The caller frees the path.
 */
int cache_scratch_make(const char *sub, char **path, struct vbm_error *err);

/* Call @look with each path at which such a folder may be. */
void cache_scratch_each(const char *sub, void (*look)(const char *path, void *arg), void *arg);

#endif
