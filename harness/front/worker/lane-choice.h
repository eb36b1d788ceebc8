/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_LANE_CHOICE_H
#define VBM_FRONT_LANE_CHOICE_H

#include <argp.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "names/device-words.h"

/*
 * The options for lane, kernel, layout and device, which run, exec and shell have in common. A
 * command lists lane_choice_argp among the children of its parser and, at ARGP_KEY_INIT,
 * hands it a struct lane_choice. Strings are borrowed.
 */
#define CABLE_CHOICES_MAX 64
struct lane_choice {
	const char *lane, *kernel, *layout, *device;
	struct cable_choice {
		const char *fault, *text;	/* "loss", "a,b:3%" */
	} cable[CABLE_CHOICES_MAX];
	size_t cables;
};

#define LANE_CHOICE_DEFAULT {.lane = "auto", .layout = "auto", .device = NULL}

extern const struct argp lane_choice_argp;

/* The types of the hosts' devices; the default ones if the words are wrong, which lane_choice_check() tells. */
struct device_words lane_choice_devices(const struct lane_choice *w);

/* Adds layout, device and cables to the job. They have been checked. */
struct value;
void lane_choice_put(const struct lane_choice *w, struct value *job);

/*
 * Returns -EINVAL for an unknown layout or device and a wrong fault of the cable; the lane checks the
 * names of lanes and kernels. @hosts: the number of hosts; 0: it is not known.
 */
int lane_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err);

/* cable-choice.c: --loss, --delay and --rate, which a command lists with the same struct lane_choice. */
extern const struct argp cable_choice_argp;
int cable_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err);
/* Adds the faults to the job, if there are any. They have been checked. */
void cable_choice_put(const struct lane_choice *w, struct value *job);

#endif
