/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/machines-choice.h"

#include <errno.h>
#include <string.h>

#include "base/xalloc.h"
#include "front/target-choice.h"
#include "lib/base/fail.h"
#include "machines/machines.h"

/* Machines have their own kernel, devices, libraries and cables, so some options have no sense. */
int run_machines(const struct run_options *opts, struct value **out, struct vbm_error *err)
{
	const struct lane_choice *w = &opts->choice;
	const struct {
		const char *option;
		bool given;
	} senseless[] = {
		{"--lane", strcmp(w->lane, "auto") != 0 && strcmp(w->lane, "native") != 0},
		{"--kernel", w->kernel},
		{"--layout", strcmp(w->layout, "auto") != 0},
		{"--device", w->device},
		{"--loss, --delay or --rate", w->cables},
		{"--jobs", opts->jobs > 1},
		{"--over", opts->over},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(senseless); i++)
		if (senseless[i].given)
			return vbm_fail(err, EINVAL, "%s has no sense with --hosts: the machines of %s are used as they are",
					senseless[i].option, opts->hosts);
	if (!target_is_named(opts->target))
		return vbm_fail(err, EINVAL, "with --hosts the target is the rdma-core of each machine, so --target takes a name, "
				"not '%s'", opts->target);
	return machines_read(opts->hosts, out, err);
}
