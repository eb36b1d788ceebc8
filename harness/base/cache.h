/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CACHE_H
#define VBM_BASE_CACHE_H

#include <stdbool.h>

#include <verbatim/error.h>

/*
 * "~/.cache/verbatim/SUB", by XDG_CACHE_HOME where that is set; for a user
 * without a home it is below a folder of that user alone in /tmp. Nobody may be
 * able to write there. Caller frees.
 */
char *cache_path(const char *sub);

/* Make the folder @path of the cache; the error says what to set. */
int cache_make(const char *path, struct vbm_error *err);

/*
 * A folder SUB for what is of use for a short time: in the cache or, where this user
 * cannot write there, in a folder of this user alone in XDG_RUNTIME_DIR, TMPDIR,
 * /tmp or /dev/shm. One that somebody else made there before is not taken. The
 * caller frees it.
 */
int scratch_make(const char *sub, char **path, struct vbm_error *err);

/* Each place where such a folder may be, for @look. */
void scratch_each(const char *sub, void (*look)(const char *path, void *arg), void *arg);

#endif
