/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_LANE_CHOICE_H
#define VBM_FRONT_LANE_CHOICE_H

#include <argp.h>

#include <verbatim/error.h>

/*
 * The options for lane, kernel and layout, which run, exec and shell have in common. A
 * command lists lane_choice_argp among the children of its parser and, at ARGP_KEY_INIT,
 * hands it a struct lane_choice. Strings are borrowed.
 */
struct lane_choice {
	const char *lane, *kernel, *layout;
};

#define LANE_CHOICE_DEFAULT {.lane = "auto", .layout = "auto"}

extern const struct argp lane_choice_argp;

/* Returns -EINVAL for an unknown layout; the lane checks the names of lanes and kernels. */
int lane_choice_check(const struct lane_choice *w, struct vbm_error *err);

#endif
