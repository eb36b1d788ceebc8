/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_MACHINES_CHOICE_H
#define VBM_RUN_MACHINES_CHOICE_H

#include "lane/kernel-words.h"
#include "run/run.h"

struct plan;
struct value;

struct machines_choice {
	struct value *list;	/* owned; NULL: the run makes its hosts */
	const char *kernel[KERNELS_HOSTS];	/* borrowed from @list; NULL: the default */
};

/*
 * Takes the machines of --hosts, or those of a --kernel that names a kernel for each host, and gives the lane
 * its options for them. @out has to live as long as the lane. -EINVAL: the file or the words are wrong, or
 * another option cannot be combined with these machines.
 */
int machines_choose(struct machines_choice *out, const struct run_options *opts, struct lane_options *lane,
		    struct vbm_error *err);

/*
 * The kernels for hosts a and b that all variants of the plan want by "fabric: {kernel: ...}", in the words of
 * --kernel: "a=6.12,b=7.3". The caller frees it. NULL: the plan is empty, one of them wants none, or they want
 * different ones. Pure.
 */
char *plan_kernels(const struct plan *plan);

/*
 * Afterwards, and only if no option says what the hosts are: takes the kernels that all scenarios of @plan want, if they
 * are in the store. If they are not, the run is as any other, and skips these scenarios for their conditions.
 */
void machines_of_plan(struct machines_choice *out, const struct run_options *opts, const struct plan *plan,
		      struct lane_options *lane);

#endif
