/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNS_SHARD_H
#define VBM_RUNS_SHARD_H

#include <stdbool.h>

#include <verbatim/error.h>

struct value;

/* One of the equal parts into which several machines divide the work. */
struct shard {
	int number;	/* from 1 */
	int of;		/* how many parts; 0: the work is not divided */
};

#define SHARDS_MAX 10000

/* Reads "2/4". -EINVAL, and @err says what to write instead. */
int shard_parse(struct shard *out, const char *text, struct vbm_error *err);

/*
 * Whether the part that is called @name belongs to the shard. The answer depends on the name and
 * the number of shards alone, so a new name moves no other one. All names belong to a shard
 * of work that is not divided.
 */
bool shard_holds(const struct shard *s, const char *name);

/* Reads the member "shard" of an event begin or summary. False if there is none, or none that is possible. */
bool shard_of_event(struct shard *out, const struct value *event);

/*
 * Reads the value of --shard: "2/4", or "auto" for the shard that the variables of an engine (Slurm, GitLab,
 * Bazel) name. If the engine wants to know that the program divides its work, the file that the engine names
 * is made. -EINVAL if the value is wrong, or if not exactly one engine has set its variables.
 */
int shard_read(struct shard *out, const char *text, struct vbm_error *err);

#endif
