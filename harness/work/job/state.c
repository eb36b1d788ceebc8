/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "fabric/host-ns.h"
#include "net/nl.h"
#include "process/task.h"

static void keep_counter(const char *name, uint64_t n, void *arg)
{
	struct state_counters *c = arg;

	if (c->count == STATE_COUNTERS_MAX)
		return;
	snprintf(c->item[c->count].name, sizeof(c->item[0].name), "%s", name);
	c->item[c->count++].value = n;
}

struct state *state_take(struct fabric *fabric)
{
	int i, hosts = fabric_host_count(fabric);
	struct state *s = xcalloc(1, sizeof(*s) + (size_t)hosts * sizeof(s->host[0]));

	for (i = 0; i < hosts; i++)
		fabric_counters(fabric, i, keep_counter, &s->host[i], &s->host[i].err);
	s->hosts = hosts;
	return s;
}

static uint64_t value_of(const struct state_counters *c, const char *name)
{
	size_t i;

	for (i = 0; c && i < c->count; i++)
		if (!strcmp(c->item[i].name, name))
			return c->item[i].value;
	return 0;
}

void state_add_grown(struct text *out, const struct state_counters *since,
		     const struct state_counters *now)
{
	const char *separator = "";
	uint64_t before;
	size_t i;

	for (i = 0; i < now->count; i++) {
		before = value_of(since, now->item[i].name);
		if (now->item[i].value <= before)
			continue;
		text_addf(out, "%s%s %" PRIu64, separator, now->item[i].name,
			  now->item[i].value - before);
		separator = ", ";
	}
}

struct listing {
	struct text *out;
	const struct fabric *fabric;
	int host;
};

/*
 * A listener without an address is on the devices of all hosts. It is shown for the host
 * of its process only.
 */
static bool is_of_another_host(const struct listing *l, const struct rdma_object *o)
{
	int host = o->pid && !fabric_is_elsewhere(l->fabric) ? fabric_host_of(l->fabric, o->pid) : -1;

	return host >= 0 && host != l->host;
}

static void add_object(const struct rdma_object *o, void *arg)
{
	struct listing *l = arg;
	auto_free char *path = xasprintf("/proc/%d/comm", o->pid), *name = NULL;

	/* Queue pairs that the device itself always has. */
	if (o->kernel && o->is_qp && !strcmp(o->type, "GSI"))
		return;
	if (is_of_another_host(l, o))
		return;
	/* The number of a process on another machine says nothing here. */
	name = o->pid && !fabric_is_elsewhere(l->fabric) ? task_proc_line(path) : NULL;
	text_addf(l->out, "    %s ", o->is_qp ? "queue pair" : "rdma_cm id");
	if (o->is_qp)
		text_addf(l->out, "%u %s ", o->number, o->type);
	text_add(l->out, o->state);
	if (o->is_qp && o->peer)
		text_addf(l->out, ", peer %u", o->peer);
	if (*o->from)
		text_addf(l->out, ", from %s", o->from);
	if (*o->to)
		text_addf(l->out, " to %s", o->to);
	if (o->pid)
		text_addf(l->out, ", process %d%s%s%s\n", o->pid, name ? " (" : "", name ? name : "", name ? ")" : "");
	else
		text_addf(l->out, ", kernel (%s)\n", o->kernel ? o->kernel : "?");
}

void state_add_host(struct text *out, struct fabric *fabric, int host, const struct state *since,
		    const struct state *now)
{
	const struct host_info *h = fabric_host(fabric, host);
	const struct state_counters *counters = &now->host[host];
	auto_text struct text objects = {0}, grown = {0};
	struct listing l = {.out = &objects, .fabric = fabric, .host = host};
	struct vbm_error err = {0};

	if (fabric_objects(fabric, host, add_object, &l, &err) < 0)
		text_addf(&objects, "    %s\n", err.msg);
	state_add_grown(&grown, since ? &since->host[host] : NULL, counters);
	text_addf(out, "  host %s (%s):", h->name, h->dev);
	text_add(out, objects.len ? "\n" : " no queue pair and no rdma_cm id is open; ");
	text_add(out, objects.len ? objects.s : "");
	text_addf(out, "%scounters: %s\n", objects.len ? "    " : "",
		  *counters->err.msg ? counters->err.msg : grown.len ? grown.s : "all 0");
}
