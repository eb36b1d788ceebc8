/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/lane-choice.h"

#include <errno.h>

#include "fabric/fabric.h"
#include "lib/base/fail.h"

enum { OPT_LANE = 512, OPT_KERNEL, OPT_LAYOUT };

static const struct argp_option options[] = {
	{"lane", OPT_LANE, "LANE", 0,
	 "where: native (this kernel), guest (QEMU), uml (a kernel that is a program), or "
	 "auto (the default)", 0},
	{"kernel", OPT_KERNEL, "NAME", 0,
	 "kernel of guest or uml: a version, a suite, a path, or running; see verbatim "
	 "kernel list", 0},
	{"layout", OPT_LAYOUT, "LAYOUT", 0, "netns, shared, or auto (the default)", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lane_choice *w = state->input;

	switch (key) {
	case OPT_LANE:
		w->lane = arg;
		return 0;
	case OPT_KERNEL:
		w->kernel = arg;
		return 0;
	case OPT_LAYOUT:
		w->layout = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp lane_choice_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

int lane_choice_check(const struct lane_choice *w, struct vbm_error *err)
{
	enum layout layout;

	if (layout_parse(w->layout, &layout) == 0)
		return 0;
	return vbm_fail(err, EINVAL, "no layout is called '%s': auto, netns or shared", w->layout);
}
