/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_RUN_H
#define VBM_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "front/lane-choice.h"
#include "lane/lane.h"

/* What "verbatim run" was asked for. All strings are borrowed. */
struct run_options {
	struct lane_choice choice;
	const char *target, *format, *output;
	const char *rdma_core;	/* the target's version, where its files do not tell; or NULL */
	char **filters;		/* globs over scenario names; none: all */
	size_t filter_count;
	char **paths;		/* files and folders; none: the default ones */
	size_t path_count;
	const char *share[SHARED_FOLDERS_MAX];	/* "DIR" or "DIR:ro", for programs of scenarios */
	size_t shares;
	const char **env;	/* names of variables that they get, up to a NULL; or NULL */
	size_t envs;
	int jobs;		/* places at the same time; 0: as many as pay */
	bool real_time;		/* also where the place has virtual time */
	bool color, live, verbose;
};

/*
 * Check the files, choose a lane, run everything there, report. Where a
 * scenario brings its place down the rest goes on in a fresh one. Messages for
 * people go to stderr, the report to stdout. Returns an exit status (cmd.h).
 */
int run_front(const struct run_options *opts);

#endif
