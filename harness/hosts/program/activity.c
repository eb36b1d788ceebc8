/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/activity.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
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

#define TCP_LISTEN_STATE 0x0a

struct inodes {
	unsigned long *item;	/* owned */
	size_t count;
	bool held;		/* a process of the session has one of them open */
};

unsigned long activity_tcp_inode(const char *line)
{
	unsigned int state;
	unsigned long inode;

	if (sscanf(line, " %*u: %*32[0-9A-Fa-f]:%*4[0-9A-Fa-f] %*32[0-9A-Fa-f]:%*4[0-9A-Fa-f] %x "
			 "%*8[0-9A-Fa-f]:%*8[0-9A-Fa-f] %*2[0-9A-Fa-f]:%*8[0-9A-Fa-f] "
			 "%*8[0-9A-Fa-f] %*u %*u %lu", &state, &inode) != 2)
		return 0;
	return state == TCP_LISTEN_STATE ? inode : 0;
}

/* Add the listening sockets in the network namespace of process @pid. */
static void add_sockets(struct inodes *list, pid_t pid, const char *table)
{
	auto_free char *path = xasprintf("/proc/%d/net/%s", pid, table);
	auto_file FILE *f = fopen(path, "re");
	unsigned long inode;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		inode = activity_tcp_inode(line);
		if (!inode)
			continue;
		GROW(list->item, list->count);
		list->item[list->count++] = inode;
	}
}

/* False, which ends the search, when the process has one of the sockets open. */
static bool holds_none(pid_t pid, void *arg)
{
	struct inodes *list = arg;
	auto_free char *path = xasprintf("/proc/%d/fd", pid);
	auto_dir DIR *dir = opendir(path);
	const struct dirent *d;
	unsigned long inode;
	char target[64];
	ssize_t n;
	size_t i;

	while (dir && (d = readdir(dir))) {
		n = readlinkat(dirfd(dir), d->d_name, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		if (sscanf(target, "socket:[%lu]", &inode) != 1)
			continue;
		for (i = 0; i < list->count; i++)
			if (list->item[i] == inode)
				list->held = true;
	}
	return !list->held;
}

bool activity_listening_on_tcp(pid_t sid)
{
	struct inodes list = {0};

	add_sockets(&list, sid, "tcp");
	add_sockets(&list, sid, "tcp6");
	if (list.count)
		task_session_each(sid, holds_none, &list);
	free(list.item);
	return list.held;
}

void session_search_see(int pid, void *search)
{
	struct session_search *s = search;

	if (pid > 0 && getsid(pid) == s->sid)
		s->found = true;
}

bool activity_listening_session(struct fabric *fabric, int host, pid_t sid)
{
	struct session_search search = {.sid = sid};

	fabric_listeners(fabric, host, session_search_see, &search, NULL);
	return search.found || activity_listening_on_tcp(sid);
}

static void add_stack(struct text *out, const char *task)
{
	auto_free char *path = xasprintf("%s/stack", task), *stack = NULL;
	char *pos, *line;

	if (file_read(path, &stack, NULL, NULL) < 0)
		return;
	for (pos = stack; (line = file_next_line(&pos));)
		if (*line)
			text_addf(out, "        %s\n", line);
}

static bool report_thread(pid_t pid, pid_t tid, void *arg)
{
	struct text *out = arg;
	auto_free char *task = xasprintf("/proc/%d/task/%d", pid, tid);
	auto_free char *name_path = xasprintf("%s/comm", task), *name = task_proc_line(name_path);
	auto_free char *doing = task_doing(pid, tid);

	text_addf(out, "      thread %d (%s): %s\n", tid, name ? name : "?", doing);
	if (strcmp(doing, "runs") != 0)
		add_stack(out, task);
	return true;
}

struct children {
	pid_t parent;
	bool any;
};

static bool is_child(pid_t pid, void *arg)
{
	struct children *c = arg;
	struct task_stat t;

	c->any = c->any || (task_stat(&t, pid, pid) && t.parent == c->parent);
	return !c->any;
}

struct session_report {
	struct text *out;
	pid_t session;
	int seconds, *stacks;
};

/* A shell that waits for its children says nothing by its stack. */
static void add_user_stack(struct session_report *r, pid_t pid)
{
	struct children children = {.parent = pid};

	if (!r->seconds || !*r->stacks)
		return;
	task_session_each(r->session, is_child, &children);
	if (children.any)
		return;
	(*r->stacks)--;
	task_add_stack(r->out, pid, r->seconds, "      ");
}

static bool report_process(pid_t pid, void *arg)
{
	auto_free char *path = xasprintf("/proc/%d/cmdline", pid), *line = task_proc_line(path);
	struct session_report *r = arg;

	text_addf(r->out, "    process %d: %.200s\n", pid, line ? line : "(has ended)");
	process_each_thread(pid, report_thread, r->out);
	if (line)
		add_user_stack(r, pid);
	return true;
}

void activity_report(struct text *out, pid_t session, int seconds, int *stacks)
{
	struct session_report r = {.out = out, .session = session, .seconds = seconds, .stacks = stacks};

	task_session_each(session, report_process, &r);
}
