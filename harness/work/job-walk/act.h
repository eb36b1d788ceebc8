/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_WALK_ACT_H
#define VBM_JOB_WALK_ACT_H

#include "job-walk/hosts.h"

/*
 * Makes the call of one operation, whose request has @id. @w is the model before it.
 * Returns 0 if the call succeeded or returned a pointer, else its error, never 0.
 */
int walk_act(struct walk_hosts *hosts, const struct model_world *w, const struct model_op *op, uint64_t id);

#endif
