/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/task.h"

#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

char *proc_line(const char *path)
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

char *task_doing(pid_t pid, pid_t tid)
{
	auto_free char *stat_path = xasprintf("/proc/%d/task/%d/stat", pid, tid);
	auto_free char *where_path = xasprintf("/proc/%d/task/%d/wchan", pid, tid);
	auto_free char *stat = proc_line(stat_path), *where = proc_line(where_path);
	/* The name before it may contain anything. */
	const char *p = stat ? strrchr(stat, ')') : NULL;
	char state = p && p[1] ? p[2] : 'Z';

	if (state == 'R')
		return xstrdup("runs");
	if (state == 'Z' || state == 'X')
		return xstrdup("has ended");
	return where && strcmp(where, "0") != 0 ? xasprintf("waits in %s", where) : xstrdup("waits");
}

int64_t process_cpu_ms(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &ts) < 0)
		return -1;
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}
