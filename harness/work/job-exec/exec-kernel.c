/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "job-exec/exec-job.h"
#include "job/job.h"
#include "job/kmsg.h"

#define LAST 16		/* lines that a report shows */
#define TRACE 60	/* lines that belong to a complaint, the first included */

struct kernel_log {
	int fd;			/* owned; -1: it cannot be read here */
	char *line[LAST];	/* owned; a ring */
	size_t count;		/* of all lines so far */
	bool oom;		/* it killed a process to get its memory */
	int trace;		/* how many more lines belong to the last complaint */
};

struct kernel_log *kernel_log_new(int fd)
{
	struct kernel_log *log = xcalloc(1, sizeof(*log));

	log->fd = fd;
	return log;
}

int kernel_log_fd(const struct kernel_log *log)
{
	return log->fd;
}

static void store_line(struct kernel_log *log, const char *text)
{
	char **place = &log->line[log->count++ % LAST];

	free(*place);
	*place = xstrdup(text);
}

void kernel_log_hear(struct kernel_log *log, struct job *job)
{
	struct kmsg_record rec;
	bool bad;

	while (log->fd >= 0 && kmsg_next(log->fd, &rec)) {
		store_line(log, rec.text);
		log->oom |= !strncmp(rec.text, "Out of memory: Killed process", 29);
		bad = kmsg_classify(&rec) != KMSG_FINE;
		if (bad)
			log->trace = TRACE;
		if (log->trace <= 0)
			continue;
		log->trace = strstr(rec.text, "---[ end trace") ? 0 : log->trace - 1;
		kmsg_emit(job->emit, NULL, &rec, bad);
	}
}

bool kernel_log_oom(const struct kernel_log *log)
{
	return log->oom;
}

void kernel_log_last(const struct kernel_log *log, struct text *out)
{
	size_t i = log->count > LAST ? log->count - LAST : 0;

	if (log->count)
		text_add(out, "the kernel's last lines:\n");
	for (; i < log->count; i++)
		text_addf(out, "  %s\n", log->line[i % LAST]);
}

void kernel_log_free(struct kernel_log *log)
{
	size_t i;

	if (!log)
		return;
	for (i = 0; i < LAST; i++)
		free(log->line[i]);
	if (log->fd >= 0)
		close(log->fd);
	free(log);
}
