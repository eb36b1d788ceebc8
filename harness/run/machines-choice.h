/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_MACHINES_CHOICE_H
#define VBM_RUN_MACHINES_CHOICE_H

#include "run/run.h"

struct value;

/* The runner says nothing while the program is copied to machines of one's own. */
#define MACHINES_CONNECT_MS 120000

/*
 * The machines of --hosts, which the caller frees. -EINVAL: the file is wrong, or another option has no sense
 * with machines.
 */
int run_machines(const struct run_options *opts, struct value **out, struct vbm_error *err);

#endif
