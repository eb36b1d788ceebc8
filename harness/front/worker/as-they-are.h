/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WORKER_AS_THEY_ARE_H
#define VBM_WORKER_AS_THEY_ARE_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "worker/lane-choice.h"

/* The runner says nothing while the program is copied to machines. */
#define MACHINES_CONNECT_MS 120000

/* An option of a command, and whether it was given. */
struct given_option {
	const char *option;
	bool given;
};

/* The first of a list that was given; the list ends without an option. NULL: none was. */
const char *as_they_are_first(const struct given_option *list);

/*
 * Machines have their own kernel, devices, libraries and cables, so some options have no sense with --hosts FILE:
 * those of @w, and those of @more, a list that ends without an option. -EINVAL names the first one that was given.
 */
int as_they_are_check(const char *file, const struct lane_choice *w, const struct given_option *more,
		      struct vbm_error *err);

#endif
