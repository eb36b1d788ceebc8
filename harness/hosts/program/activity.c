/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/activity.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "process/task.h"

#define QUIET_MS 100
#define HEAD_START_MS 1000

/* The work of a session's threads so far. */
struct doing {
	uint64_t switches;	/* number of voluntary and forced context switches */
	uint64_t ticks;		/* of processor time */
	bool awake;		/* a thread runs, wants to run, or waits for a disk */
};

static uint64_t field_of(const char *status, const char *name)
{
	const char *p = strstr(status, name);

	return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

static bool add_thread(pid_t pid, pid_t tid, void *arg)
{
	struct doing *d = arg;
	auto_free char *path = xasprintf("/proc/%d/task/%d/status", pid, tid), *text = NULL;
	struct task_stat t;

	if (file_read(path, &text, NULL, NULL) < 0 || !task_stat(&t, pid, tid))
		return true;
	d->switches += field_of(text, "\nvoluntary_ctxt_switches:") +
		       field_of(text, "\nnonvoluntary_ctxt_switches:");
	d->ticks += t.ticks;
	d->awake |= t.state == 'R' || t.state == 'D';
	return true;
}

static bool add_process(pid_t pid, void *arg)
{
	process_each_thread(pid, add_thread, arg);
	return true;
}

void activity_begin(struct activity *a)
{
	*a = (struct activity){.head_start_ns = clock_deadline_ms(HEAD_START_MS)};
}

bool activity_is_over(struct activity *a, pid_t sid)
{
	struct doing d = {0};
	uint64_t done;

	task_session_each(sid, add_process, &d);
	done = d.switches + d.ticks;
	if (d.awake || done != a->done || !a->quiet_ns)
		a->quiet_ns = clock_deadline_ms(QUIET_MS);
	a->done = done;
	return clock_now_ns() >= a->quiet_ns || clock_now_ns() >= a->head_start_ns;
}
