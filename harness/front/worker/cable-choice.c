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

static void take_fault(void *choice, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct lane_choice *w = choice;

	if (w->cables == CABLE_CHOICES_MAX)
		argp_error(state, "--loss, --delay and --rate: at most %d times", CABLE_CHOICES_MAX);
	w->cable[w->cables++] = (struct cable_choice){line->name, arg};
}

const struct option_line cable_choice_options[] = {
	{"loss", 0, "[HOSTS:]PERCENT",
	 "the cable loses this part of the packets that each host, or each of HOSTS, sends (3%)", OPT_TAKE_ALL(take_fault)},
	{"delay", 0, "[HOSTS:]TIME", "... delays them by this time (2ms)", OPT_TAKE_ALL(take_fault)},
	{"rate", 0, "[HOSTS:]RATE", "... carries so many bits per second (1gbit)", OPT_TAKE_ALL(take_fault)},
	{NULL},
};

/* Adds one fault for one host, or for all if @host is NULL. */
static void add(struct value *list, const struct cable_choice *c, const char *host, int64_t value)
{
	struct value *row;

	if (!list)
		return;
	row = value_map();
	value_set_string(row, "fault", c->fault);
	value_set_int(row, "value", value);
	if (host)
		value_set_string(row, "host", host);
	value_append(list, row);
}

static int check_host(const struct cable_choice *c, const char *name, int hosts, struct vbm_error *err)
{
	int n = host_number(name);

	if (n < 0 || n >= (hosts ? hosts : FABRIC_HOSTS_MAX))
		return vbm_fail(err, EINVAL, "--%s %s: there is no host '%s'%s", c->fault, c->text, name,
				n < 0 ? "; hosts are called a, b, c and so on" : "");
	return 0;
}

/* @list may be NULL. */
static int read_one(const struct cable_choice *c, int hosts, struct value *list, struct vbm_error *err)
{
	auto_free char *names = xstrdup(c->text);
	char *colon = strchr(names, ':'), *save = NULL, *name;
	int64_t value = 0;
	int rc = cable_fault_read((enum cable_fault)cable_fault_called(c->fault), colon ? colon + 1 : names, &value,
				  err);

	if (rc < 0)
		return vbm_wrap(err, "--%s %s", c->fault, c->text);
	if (!colon)
		add(list, c, NULL, value);
	else
		*colon = '\0';
	if (colon && strspn(names, ",") == strlen(names))
		return vbm_fail(err, EINVAL, "--%s %s: no host is named before ':'", c->fault, c->text);
	for (name = colon ? strtok_r(names, ",", &save) : NULL; name; name = strtok_r(NULL, ",", &save)) {
		rc = check_host(c, name, hosts, err);
		if (rc < 0)
			return rc;
		add(list, c, name, value);
	}
	return 0;
}

int cable_choice_check(const struct lane_choice *w, int hosts, struct vbm_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < w->cables; i++)
		rc = read_one(&w->cable[i], hosts, NULL, err);
	return rc;
}

void cable_choice_put(const struct lane_choice *w, struct value *job)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; i < w->cables; i++)
		read_one(&w->cable[i], 0, list, NULL);
	if (w->cables)
		value_set(job, "cable", list);
	else
		value_free(list);
}
