/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_RUN_H
#define VBM_RUN_RUN_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the plan, the places, the reports and the history.
 * Ends:    when all variants have a verdict; after a signal when the reports are written.
 * Tests:   unit/test_selection, test_places, test_reorder, test_tracker; tests/guest/jobs.test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/lane-choice.h"
#include "lane/lane.h"
#include "runs/shard.h"

/* The options and arguments of "verbatim run". All strings are borrowed. */
struct run_options {
	struct lane_choice choice;
	const char *target, *format, *output, *history, *html;
	const char *over;	/* an object over the target, which is a build; or NULL */
	const char *rdma_core;	/* the target's version, if its files do not tell it; or NULL */
	char **filters;		/* globs over scenario names; none: all */
	size_t filter_count;
	char **clauses;		/* globs over clauses and statements that they must prove; none: all */
	size_t clause_count;
	char **paths;		/* files and folders; none: the default ones */
	size_t path_count;
	const char *share[SHARED_FOLDERS_MAX];	/* "DIR" or "DIR:ro", for programs of scenarios */
	size_t shares;
	const char **env;	/* names of variables that they get, ending with NULL; or NULL */
	size_t envs;
	const char *rerun;	/* a stored run, whose variants that were as expected are left out; or NULL */
	struct shard shard;	/* run only this part */
	bool shuffle;		/* in another order, of @seed */
	uint64_t seed;
	int repeat;		/* how many times; 0 and 1: once */
	int fail_fast;		/* stop after so many variants that were not as expected; 0: never */
	int jobs;		/* places at the same time; 0: chosen by the program */
	const char *hosts;	/* the hosts file with the machines; NULL: the hosts are made */
	bool may_disturb;	/* scenarios may change these machines */
	bool may_configure;	/* what is missing on these machines is configured; undone at the end */
	const char *connects;	/* CONNECTS_*: how fragments connect queue pairs; NULL: as the devices need */
	bool real_time;		/* use real time, even if the place has virtual time */
	bool may_crash;		/* run scenarios that crash the kernel, also where it is not one of a place of ours */
	bool color, live, verbose;
};

/*
 * Checks the files, chooses a lane, runs all scenarios there, and reports. If a scenario
 * crashes its place, the others go on in a fresh place. Messages for people go to stderr,
 * the report to stdout. Returns an exit status (cmd.h).
 */
int run_front(const struct run_options *opts);

#endif
