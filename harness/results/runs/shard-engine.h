/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SHARD_ENGINE_H
#define VBM_SHARD_ENGINE_H

#include "runs/shard.h"

/*
 * Reads the value of --shard: "2/4", or "auto" for the shard that the variables of an engine (Slurm, GitLab,
 * Bazel) name. If the engine wants to know that the program divides its work, the file that the engine names
 * is made. -EINVAL if the value is wrong, or if not exactly one engine has set its variables.
 */
int engine_shard(struct shard *out, const char *text, struct vbm_error *err);

#endif
