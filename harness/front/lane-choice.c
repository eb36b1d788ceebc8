/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/lane-choice.h"

#include <errno.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "fabric/fabric.h"
#include "lane/lane.h"
#include "lib/base/fail.h"
#include "names/device-types.h"

enum { OPT_LANE = 512, OPT_KERNEL, OPT_LAYOUT, OPT_DEVICE };

static const struct argp_option options[] = {
	{"lane", OPT_LANE, "LANE", 0, ": the kernel below the hosts (default: auto; verbatim doctor "
	 "describes each)", 0},
	{"kernel", OPT_KERNEL, "NAME", 0,
	 "kernel of guest or uml: a version, a suite, a path, or running; for run also one for each host, a=6.12,b=7.3; see verbatim "
	 "kernel list", 0},
	{"layout", OPT_LAYOUT, "LAYOUT", 0, ": how hosts share the kernel (default: auto)", 0},
	{"device", OPT_DEVICE, "DEVICE", 0, ": the RDMA devices of the hosts (default: rxe)", 0},
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
	case OPT_DEVICE:
		w->device = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static char *help(int key, const char *text, void *input)
{
	static const struct choice_option names[] = {
		{OPT_LANE, lane_name}, {OPT_LAYOUT, layout_nth}, {OPT_DEVICE, device_type_name}, {0, NULL},
	};

	(void)input;
	return choice_help(names, key, text);
}

const struct argp lane_choice_argp = {options, parse, NULL, NULL, NULL, help, NULL};

const struct device_type *lane_choice_device(const struct lane_choice *w)
{
	return w->device ? device_type_find(w->device) : NULL;
}

void lane_choice_put(const struct lane_choice *w, struct value *job)
{
	value_set_string(job, "layout", w->layout);
	if (w->device)
		value_set_string(job, "device", w->device);
	cable_choice_put(w, job);
}

int lane_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err)
{
	auto_free char *names = NULL;
	const struct device_type *device;
	enum layout layout;

	if (w->device && device_type_parse(w->device, &device, err) < 0)
		return -EINVAL;
	if (layout_parse(w->layout, &layout) == 0)
		return cable_choice_check(w, hosts, err);
	names = choice_text(layout_nth, "");
	return vbm_fail(err, EINVAL, "no layout is called '%s': %s", w->layout, names);
}
