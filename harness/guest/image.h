/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_IMAGE_H
#define VBM_GUEST_IMAGE_H

#include <stdbool.h>

#include <verbatim/error.h>

struct kernel;

/*
 * The first root of a guest, as a descriptor for reading: from the cache when
 * one with the same content is there, else built. @files (NULL-terminated or
 * NULL) are host files that are added for this run only.
 */
int image_open(const struct kernel *kernel, bool host_root,
	       const char *const *files, struct vbm_error *err);

#endif
