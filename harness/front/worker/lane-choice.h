/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WORKER_LANE_CHOICE_H
#define VBM_WORKER_LANE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "base/options.h"
#include "names/device-words.h"

/*
 * The options for lane, kernel, layout and device, which run, exec and shell have in common. A
 * command lists lane_choice_options among its tables. Strings are borrowed.
 */
struct value;
#define CABLE_CHOICES_MAX 64
struct lane_choice {
	const char *lane, *kernel, *layout, *device;
	struct cable_choice {
		const char *fault, *text;	/* "loss", "a,b:3%" */
		int64_t value;
		uint64_t hosts;		/* a bit for each; 0: all */
	} cable[CABLE_CHOICES_MAX];
	size_t cables;
	struct device_words devices;	/* what @device says */
	struct value *job;	/* owned by the command; the members that options give to the job; NULL: none */
};

#define LANE_CHOICE_DEFAULT {.lane = "auto", .layout = "auto", .device = NULL}

extern const struct option_line lane_choice_options[];

/* Adds layout, device, cables and @job to the job. They have been checked. */
void lane_choice_put(const struct lane_choice *w, struct value *job);

/*
 * Returns -EINVAL for an unknown layout, a device of no host and a wrong fault of the cable; the lane checks the
 * names of lanes and kernels. @hosts: the number of hosts; 0: it is not known.
 */
int lane_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err);

/* --loss, --delay and --rate, of the same struct. */
extern const struct option_line cable_choice_options[];
int cable_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err);
/* Adds the faults to the job, if there are any. They have been checked. */
void cable_choice_put(const struct lane_choice *w, struct value *job);

/* The runner says nothing while the program is copied to machines. */
#define MACHINES_CONNECT_MS 120000

/* An option of a command, and whether it was given. */
struct given_option {
	const char *option;
	bool given;
};

/* The first of a list that was given; the list ends without an option. NULL: none was. */
const char *lane_choice_first(const struct given_option *list);

/*
 * Machines have their own kernel, devices, libraries and cables, so some options have no sense with --hosts FILE:
 * those of @w, and those of @more, a list that ends without an option. -EINVAL names the first one that was given.
 */
int lane_choice_check_machines(const char *file, const struct lane_choice *w, const struct given_option *more,
		      struct vbm_error *err);

#endif
