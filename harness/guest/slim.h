/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_SLIM_H
#define VBM_GUEST_SLIM_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * What goes into an image, without what only costs time there. Where objcopy
 * is not installed it goes in as it is. The caller frees *@data.
 */

/* A program without its debug information. */
int slim_program(const char *path, char **data, size_t *len, struct vbm_error *err);

/*
 * A module, unpacked. Unless it is to stay @whole, it loses its signature and
 * type information: the kernel checks both at loading, and that takes longer
 * than everything else about a module.
 */
int slim_module(const char *path, bool whole, char **data, size_t *len,
		struct vbm_error *err);

#endif
