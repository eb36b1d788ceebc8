/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "names/host.h"
#include "names/cable-fault.h"
#include "worker/lane-choice.h"
#include "lib/base/fail.h"

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
