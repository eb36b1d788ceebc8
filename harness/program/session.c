/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/session.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

/* The next entry of a folder that is a number; 0 at the end. */
static pid_t next_number(DIR *dir)
{
	const struct dirent *d;
	pid_t n = 0;

	while (n <= 0 && dir && (d = readdir(dir)))
		n = (pid_t)strtol(d->d_name, NULL, 10);
	return n > 0 ? n : 0;
}

void session_each(pid_t sid, bool (*fn)(pid_t pid, void *arg), void *arg)
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
