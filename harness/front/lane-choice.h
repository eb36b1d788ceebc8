/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_LANE_CHOICE_H
#define VBM_FRONT_LANE_CHOICE_H

#include <argp.h>

#include <verbatim/error.h>

/*
 * Where to work: what run, exec and shell all ask for. A command lists
 * lane_choice_argp among the children of its parser and, at ARGP_KEY_INIT, hands it
 * a struct lane_choice. Strings are borrowed.
 */
struct lane_choice {
	const char *lane, *kernel, *layout;
};

#define LANE_CHOICE_DEFAULT {.lane = "auto", .layout = "auto"}

extern const struct argp lane_choice_argp;

/* -EINVAL for a layout that nobody knows; lanes and kernels have their own say. */
int lane_choice_check(const struct lane_choice *w, struct vbm_error *err);

#endif
