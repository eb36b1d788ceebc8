/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/lane-choice.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "names/cable-fault.h"
#include "names/host.h"
#include "lane/lane.h"
#include "lib/base/fail.h"
#include "names/device-types.h"

static int read_hosts(struct cable_choice *c, char *names, struct vbm_error *err)
{
	char *save = NULL, *name;
	int n;

	for (name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		n = host_number(name);
		if (n < 0 || n >= FABRIC_HOSTS_MAX)
			return vbm_fail(err, EINVAL, "there is no host '%s'%s", name, n < 0 ? "; hosts are called a, b, c and so on" : "");
		c->hosts |= 1ULL << n;
	}
	return c->hosts ? 0 : vbm_fail(err, EINVAL, "no host is named before ':'");
}

static int read_fault(struct cable_choice *c, struct vbm_error *err)
{
	auto_free char *names = xstrdup(c->text);
	char *colon = strchr(names, ':');
	int rc = cable_fault_read((enum cable_fault)cable_fault_called(c->fault), colon ? colon + 1 : names, &c->value, err);

	if (!colon || rc < 0)
		return rc;
	*colon = '\0';
	return read_hosts(c, names, err);
}

static void take_fault(void *choice, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct lane_choice *w = choice;
	struct cable_choice *c = &w->cable[w->cables];
	struct vbm_error err;

	if (w->cables == CABLE_CHOICES_MAX)
		argp_error(state, "--loss, --delay and --rate: at most %d times", CABLE_CHOICES_MAX);
	*c = (struct cable_choice){line->name, arg};
	if (read_fault(c, &err) < 0)
		option_wrong(line, arg, &err);
	w->cables++;
}

const struct option_line cable_choice_options[] = {
	{"loss", 0, "[HOSTS:]PERCENT",
	 "the cable loses this part of the packets that each host, or each of HOSTS, sends (3%)", OPT_TAKE_ALL(take_fault)},
	{"delay", 0, "[HOSTS:]TIME", "... delays them by this time (2ms)", OPT_TAKE_ALL(take_fault)},
	{"rate", 0, "[HOSTS:]RATE", "... carries so many bits per second (1gbit)", OPT_TAKE_ALL(take_fault)},
	{NULL},
};

int cable_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err)
{
	char name[8];
	size_t i;
	int n;

	for (i = 0; i < w->cables; i++) {
		for (n = hosts ? hosts : FABRIC_HOSTS_MAX; n < FABRIC_HOSTS_MAX; n++) {
			if (!(w->cable[i].hosts >> n & 1))
				continue;
			host_name(n, name);
			return vbm_fail(err, EINVAL, "--%s %s: there is no host '%s'", w->cable[i].fault, w->cable[i].text, name);
		}
	}
	return 0;
}

/* Adds one fault for one host, or for all if @host is negative. */
static void add_fault(struct value *list, const struct cable_choice *c, int host)
{
	struct value *row = value_map();
	char name[8];

	value_set_string(row, "fault", c->fault);
	value_set_int(row, "value", c->value);
	if (host >= 0) {
		host_name(host, name);
		value_set_string(row, "host", name);
	}
	value_append(list, row);
}

void cable_choice_put(const struct lane_choice *w, struct value *job)
{
	struct value *list;
	size_t i;
	int n;

	if (!w->cables)
		return;
	list = value_list();
	for (i = 0; i < w->cables; i++) {
		if (!w->cable[i].hosts)
			add_fault(list, &w->cable[i], -1);
		for (n = 0; n < FABRIC_HOSTS_MAX; n++)
			if (w->cable[i].hosts >> n & 1)
				add_fault(list, &w->cable[i], n);
	}
	value_set(job, "cable", list);
}

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

const char *lane_choice_first(const struct given_option *list)
{
	while (list->option && !list->given)
		list++;
	return list->option;
}

int lane_choice_check_machines(const char *file, const struct lane_choice *w, const struct given_option *more,
		      struct vbm_error *err)
{
	const struct given_option senseless[] = {
		{"--lane", strcmp(w->lane, "auto") != 0 && strcmp(w->lane, lane_native.name) != 0},
		{"--kernel", w->kernel},
		{"--layout", strcmp(w->layout, "auto") != 0},
		{"--loss, --delay or --rate", w->cables},
		{NULL, false},
	};
	const char *first = lane_choice_first(senseless);

	if (!first)
		first = lane_choice_first(more);
	return first ? vbm_fail(err, EINVAL, "%s cannot be combined with --hosts: the machines of %s are used as they are",
				first, file) : 0;
}
