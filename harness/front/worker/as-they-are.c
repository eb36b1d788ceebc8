/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/as-they-are.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lane/lane.h"
#include "lib/base/fail.h"

const char *as_they_are_first(const struct given_option *list)
{
	while (list->option && !list->given)
		list++;
	return list->option;
}

int as_they_are_check(const char *file, const struct lane_choice *w, const struct given_option *more,
		      struct vbm_error *err)
{
	const struct given_option senseless[] = {
		{"--lane", strcmp(w->lane, "auto") != 0 && strcmp(w->lane, lane_native.name) != 0},
		{"--kernel", w->kernel},
		{"--layout", strcmp(w->layout, "auto") != 0},
		{"--loss, --delay or --rate", w->cables},
		{NULL, false},
	};
	const char *first = as_they_are_first(senseless);

	if (!first)
		first = as_they_are_first(more);
	return first ? vbm_fail(err, EINVAL, "%s cannot be combined with --hosts: the machines of %s are used as they are",
				first, file) : 0;
}
