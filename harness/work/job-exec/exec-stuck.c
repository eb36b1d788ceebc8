/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/value.h"
#include "job-exec/exec-job.h"
#include "fabric/fabric.h"
#include "job/job.h"
#include "job/state.h"

/* A runner may be silent for 20 s (times the factor), and the report is made in that time. */
#define STACKS 4
#define STACK_SECONDS 4

/*
 * The report about commands that did not end: their processes and where in the kernel
 * each thread waits, then the RDMA objects and the counters of their hosts.
 */

/* A report under way. */
struct stuck {
	struct text out;
	int seconds;	/* how long a debugger may take for each process; 0: no stacks */
	int stacks;	/* how many more processes get one */
};

static void add_command(struct stuck *s, const struct command *c)
{
	text_addf(&s->out, "  %s on %s still runs: %.200s\n", c->service ? "a service" : "a command",
		  c->host, c->text);
	running_report(&c->run, &s->out, s->seconds, &s->stacks);
}

void stuck_begin(struct exec *x)
{
	x->since = state_take(x->fabric);
}

void stuck_fini(struct exec *x)
{
	free(x->since);
}

/* Emits the counters of each host that are not 0. */
void stuck_counters(struct exec *x)
{
	auto_free struct state *now = x->fabric ? state_take(x->fabric) : NULL;
	struct value *event, *values;
	size_t k;
	int i;

	for (i = 0; now && i < now->hosts; i++) {
		if (*now->host[i].err.msg)
			continue;
		values = value_map();
		for (k = 0; k < now->host[i].count; k++)
			if (now->host[i].item[k].value)
				value_set_int(values, now->host[i].item[k].name,
					      (int64_t)now->host[i].item[k].value);
		event = emit_new(x->job->emit, "counters");
		value_set_string(event, "host", fabric_host(x->fabric, i)->name);
		value_set(event, "values", values);
		emit_take(x->job->emit, event);
	}
}

static void add_commands(struct exec *x, struct stuck *s)
{
	size_t i;

	for (i = 0; i < x->count; i++) {
		if (i >= x->started)
			text_addf(&s->out, "  the command on %s was not started: the one before %s\n",
				  x->cmd[i].host, i && command_runs(&x->cmd[i - 1]) ?
				  "was not ready" : "has ended");
		else if (command_runs(&x->cmd[i]))
			add_command(s, &x->cmd[i]);
	}
}

/*
 * The counters are read again at the end, because those that still grow tell a program that
 * tries again and again from one that only waits.
 */
static void add_hosts(struct exec *x, struct text *out, const struct state *now)
{
	auto_free struct state *later = state_take(x->fabric);
	int h;

	for (h = 0; h < fabric_host_count(x->fabric); h++) {
		auto_text struct text grown = {0};

		state_add_host(out, x->fabric, h, x->since, now);
		state_add_grown(&grown, &now->host[h], &later->host[h]);
		if (grown.len)
			text_addf(out, "    while this report was made: %s more\n", grown.s);
	}
}

void stuck_report(struct exec *x, const char *why)
{
	struct stuck s = {.stacks = STACKS};
	auto_free struct state *now = state_take(x->fabric);
	auto_free char *clean = NULL;
	auto_text struct text last = {0};
	struct value *event;

	if (strcmp(why, "failed") != 0)
		s.seconds = STACK_SECONDS * clock_factor();
	if (x->log) {
		kernel_log_hear(x->log, x->job);
		/* Before a debugger, which makes some kernels say much. */
		kernel_log_last(x->log, &last);
	}
	add_commands(x, &s);
	add_hosts(x, &s.out, now);
	if (last.len)
		text_add(&s.out, last.s);
	clean = text_utf8_clean(s.out.s);
	text_fini(&s.out);
	event = emit_new(x->job->emit, "stuck");
	value_set_string(event, "why", why);
	value_set_string(event, "text", clean);
	emit_take(x->job->emit, event);
}
