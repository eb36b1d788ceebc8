/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/lane-choice.h"

#include <errno.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "fabric/fabric.h"
#include "lane/lane.h"
#include "lib/base/fail.h"

enum { OPT_LANE = 512, OPT_KERNEL, OPT_LAYOUT };

static const struct argp_option options[] = {
	{"lane", OPT_LANE, "LANE", 0, ": the kernel below the hosts (default: auto; verbatim doctor "
	 "describes each)", 0},
	{"kernel", OPT_KERNEL, "NAME", 0,
	 "kernel of guest or uml: a version, a suite, a path, or running; see verbatim "
	 "kernel list", 0},
	{"layout", OPT_LAYOUT, "LAYOUT", 0, ": how hosts share the kernel (default: auto)", 0},
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

static char *help(int key, const char *text, void *input)
{
	static const struct choice_option names[] = {
		{OPT_LANE, lane_name}, {OPT_LAYOUT, layout_nth}, {0, NULL},
	};

	(void)input;
	return choice_help(names, key, text);
}

const struct argp lane_choice_argp = {options, parse, NULL, NULL, NULL, help, NULL};

int lane_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err)
{
	auto_free char *names = NULL;
	enum layout layout;

	if (layout_parse(w->layout, &layout) == 0)
		return cable_choice_check(w, hosts, err);
	names = choice_text(layout_nth, "");
	return vbm_fail(err, EINVAL, "no layout is called '%s': %s", w->layout, names);
}
