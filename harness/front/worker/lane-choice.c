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

static void take_device(void *choice, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct lane_choice *w = choice;
	struct vbm_error err;

	(void)state;
	w->device = arg;
	if (device_words_read(&w->devices, arg, &err) < 0)
		option_wrong(line, arg, &err);
}

const struct option_line lane_choice_options[] = {
	{"lane", 0, "LANE", ": the kernel below the hosts (default: auto; verbatim doctor describes each)",
	 OPT_TEXT(struct lane_choice, lane), .names = lane_name},
	{"kernel", 0, "NAME",
	 "kernel of guest or uml: a version, a suite, a path, or running; for run also one for each host, a=6.12,b=7.3; see verbatim "
	 "kernel list", OPT_TEXT(struct lane_choice, kernel)},
	{"layout", 0, "LAYOUT", ": how hosts share the kernel (default: auto)", OPT_TEXT(struct lane_choice, layout), .names = layout_nth},
	{"device", 0, "DEVICE",
	 ": the RDMA devices of the hosts (default: rxe); also a type for each host, a=rxe,b=siw; exec and shell: or two of one host, a=rxe+siw",
	 OPT_TAKE_ALL(take_device), .names = device_type_name},
	{NULL},
};

void lane_choice_put(const struct lane_choice *w, struct value *job)
{
	if (w->job)
		value_merge(job, w->job);
	value_set_string(job, "layout", w->layout);
	if (w->device)
		value_set_string(job, "device", w->device);
	cable_choice_put(w, job);
}

int lane_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err)
{
	auto_free char *names = NULL;
	enum layout layout;

	if (hosts && device_words_fit(&w->devices, hosts, err) < 0)
		return vbm_wrap(err, "--device %s", w->device);
	if (layout_parse(w->layout, &layout) == 0)
		return cable_choice_check(w, hosts, err);
	names = choice_text(layout_nth, "");
	return vbm_fail(err, EINVAL, "no layout is called '%s': %s", w->layout, names);
}
