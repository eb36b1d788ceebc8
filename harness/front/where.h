/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_WHERE_H
#define VBM_FRONT_WHERE_H

#include <argp.h>

#include <verbatim/error.h>

/*
 * Where to work: what run, exec and shell all ask for. A command lists
 * where_argp among the children of its parser and, at ARGP_KEY_INIT, hands it
 * a struct where. Strings are borrowed.
 */
struct where {
	const char *lane, *kernel, *layout;
};

#define WHERE_DEFAULT {.lane = "auto", .layout = "auto"}

extern const struct argp where_argp;

/* -EINVAL for a layout that nobody knows; lanes and kernels have their own say. */
int where_check(const struct where *w, struct vbm_error *err);

#endif
