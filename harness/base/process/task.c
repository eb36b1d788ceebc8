/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/task.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "process/system-call.h"

char *task_proc_line(const char *path)
{
	char *text = NULL;
	size_t n, i;

	if (file_read(path, &text, &n, NULL) < 0)
		return NULL;
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\0'))
		text[--n] = '\0';
	for (i = 0; i < n; i++)
		if (text[i] == '\0' || text[i] == '\n')
			text[i] = ' ';
	if (!n)
		free(steal(&text));
	return text;
}

bool task_stat(struct task_stat *t, pid_t pid, pid_t tid)
{
	auto_free char *path = xasprintf("/proc/%d/task/%d/stat", pid, tid), *line = task_proc_line(path);
	/* The process name before the ')' may contain anything. */
	const char *p = line ? strrchr(line, ')') : NULL;
	uint64_t user, kernel;

	if (!p || sscanf(p + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
			 &t->state, &t->parent, &user, &kernel) != 4)
		return false;
	t->ticks = user + kernel;
	return true;
}

/* 'Z' for a thread that has ended. */
static char task_state(pid_t pid, pid_t tid)
{
	struct task_stat t;

	return task_stat(&t, pid, tid) ? t.state : 'Z';
}

char *task_doing(pid_t pid, pid_t tid)
{
	auto_free char *path = xasprintf("/proc/%d/task/%d/wchan", pid, tid), *where = NULL;
	auto_free char *call = NULL;
	char state = task_state(pid, tid);

	if (state == 'R')
		return xstrdup("runs");
	if (state == 'Z' || state == 'X')
		return xstrdup("has ended");
	call = system_call_of(pid, tid);
	if (call)
		return xasprintf("waits in %s", call);
	where = task_proc_line(path);
	return where && strcmp(where, "0") != 0 ? xasprintf("waits in %s", where) : xstrdup("waits");
}

static int64_t cpu_ns(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &ts) < 0)
		return -1;
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The processor time of all threads of a process; -1 when it has ended. */
static int64_t process_cpu_ms(pid_t pid)
{
	int64_t ns = cpu_ns(pid);

	return ns < 0 ? ns : ns / 1000000;
}

char *task_says(pid_t pid)
{
	auto_free char *doing = task_doing(pid, pid);

	return xasprintf("%s, after %lld ms of processor time", doing, (long long)process_cpu_ms(pid));
}

/* The next entry of a folder whose name is a number; 0 at the end. */
static pid_t next_number(DIR *dir)
{
	const struct dirent *d;
	pid_t n = 0;

	while (n <= 0 && dir && (d = readdir(dir)))
		n = (pid_t)strtol(d->d_name, NULL, 10);
	return n > 0 ? n : 0;
}

void task_each(bool (*fn)(pid_t pid, void *arg), void *arg)
{
	auto_dir DIR *proc = opendir("/proc");
	pid_t pid;

	while ((pid = next_number(proc)))
		if (!fn(pid, arg))
			return;
}

void task_session_each(pid_t sid, bool (*fn)(pid_t pid, void *arg), void *arg)
{
	auto_dir DIR *proc = opendir("/proc");
	pid_t pid;

	while ((pid = next_number(proc)))
		if (getsid(pid) == sid && !fn(pid, arg))
			return;
}

void process_each_thread(pid_t pid, bool (*fn)(pid_t pid, pid_t tid, void *arg), void *arg)
{
	auto_free char *path = xasprintf("/proc/%d/task", pid);
	auto_dir DIR *tasks = opendir(path);
	pid_t tid;

	while ((tid = next_number(tasks)))
		if (!fn(pid, tid, arg))
			return;
}

static bool add_thread(pid_t pid, pid_t tid, void *arg)
{
	auto_free char *path = xasprintf("/proc/%d/task/%d/schedstat", pid, tid), *line = task_proc_line(path);
	struct process_times *t = arg;
	int64_t queued;

	if (line && sscanf(line, "%*s %" SCNd64, &queued) == 1 && queued > t->queued_ns)
		t->queued_ns = queued;
	t->ready |= task_state(pid, tid) == 'R';
	return true;
}

struct process_times process_times(pid_t pid)
{
	int64_t cpu = cpu_ns(pid);
	struct process_times t = {.at_ns = clock_now_ns(), .cpu_ns = cpu < 0 ? 0 : cpu};

	process_each_thread(pid, add_thread, &t);
	return t;
}
