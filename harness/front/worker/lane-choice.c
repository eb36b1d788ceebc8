/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/lane-choice.h"

#include <errno.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "names/host.h"
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
	{"device", OPT_DEVICE, "DEVICE", 0,
	 ": the RDMA devices of the hosts (default: rxe); also a type for each host, a=rxe,b=siw; exec and shell: or two of one host, a=rxe+siw", 0},
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

struct device_words lane_choice_devices(const struct lane_choice *w)
{
	struct device_words words = {0};

	if (w->device && device_words_read(&words, w->device, NULL) < 0)
		return (struct device_words){0};
	return words;
}

void lane_choice_put(const struct lane_choice *w, struct value *job)
{
	value_set_string(job, "layout", w->layout);
	if (w->device)
		value_set_string(job, "device", w->device);
	cable_choice_put(w, job);
}

static int check_device(const struct lane_choice *w, int hosts, struct vbm_error *err)
{
	struct device_words words;
	int ret = device_words_read(&words, w->device, err);

	if (ret == 0 && hosts)
		ret = device_words_fit(&words, hosts, err);
	return ret < 0 ? vbm_wrap(err, "--device %s", w->device) : 0;
}

int lane_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err)
{
	auto_free char *names = NULL;
	enum layout layout;

	if (w->device && check_device(w, hosts, err) < 0)
		return -EINVAL;
	if (layout_parse(w->layout, &layout) == 0)
		return cable_choice_check(w, hosts, err);
	names = choice_text(layout_nth, "");
	return vbm_fail(err, EINVAL, "no layout is called '%s': %s", w->layout, names);
}
