/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/behind.h"

#define LINES_MAX 200	/* of a process: a program that tries for ever says enough with these */

/* A line that grows up to a limit. */
struct trace_line {
	size_t len;
	char s[1024];
};

__thread int trace_quiet;

static struct behind_library verbs = {.name = "libibverbs.so.1"}, cm = {.name = "librdmacm.so.1"};

void *trace_next(const char *symbol)
{
	void *call = vbm_behind(strncmp(symbol, "rdma_", 5) ? &verbs : &cm, symbol);

	if (call)
		return call;
	dprintf(STDERR_FILENO, "verbatim trace: the library of the program has no %s\n", symbol);
	abort();
}

static void __attribute__((format(printf, 2, 0))) add_formatted(struct trace_line *line, const char *fmt, va_list ap)
{
	int n = vsnprintf(line->s + line->len, sizeof(line->s) - line->len, fmt, ap);

	if (n < 0)
		return;
	line->len += (size_t)n;
	if (line->len > sizeof(line->s) - 2)
		line->len = sizeof(line->s) - 2;
}

static void __attribute__((format(printf, 2, 3))) add_text(struct trace_line *line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_formatted(line, fmt, ap);
	va_end(ap);
}

/* One write(2), so that the lines of several threads do not mix. */
static void write_line(struct trace_line *line)
{
	ssize_t n;

	line->s[line->len++] = '\n';
	n = write(STDERR_FILENO, line->s, line->len);
	(void)n;	/* a program without standard error is not disturbed */
}

/* False if the process has said enough. */
static bool begin_line(struct trace_line *line)
{
	static atomic_int lines;
	int n = trace_quiet ? LINES_MAX + 1 : atomic_fetch_add(&lines, 1);

	*line = (struct trace_line){0};
	if (n > LINES_MAX)
		return false;
	add_text(line, "verbatim trace: %s[%d]: ", program_invocation_short_name, (int)getpid());
	if (n < LINES_MAX)
		return true;
	add_text(line, "failed calls after these %d are not shown", LINES_MAX);
	write_line(line);
	return false;
}

void trace_failed(const char *call, enum trace_way way, long ret, const char *reason,
		  const char *fmt, ...)
{
	int saved = errno;
	struct trace_line line;
	va_list ap;

	if (begin_line(&line)) {
		add_text(&line, "%s(", call);
		va_start(ap, fmt);
		add_formatted(&line, fmt, ap);
		va_end(ap);
		if (way == TRACE_NULL)
			add_text(&line, ") = NULL, errno %s", trace_errno(saved));
		else if (ret > 0)
			add_text(&line, ") = %s", trace_errno((int)ret));
		else
			add_text(&line, ") = %ld, errno %s", ret, trace_errno(saved));
		if (reason && *reason)
			add_text(&line, "; %s", reason);
		write_line(&line);
	}
	errno = saved;
}

void trace_say(const char *fmt, ...)
{
	int saved = errno;
	struct trace_line line;
	va_list ap;

	if (begin_line(&line)) {
		va_start(ap, fmt);
		add_formatted(&line, fmt, ap);
		va_end(ap);
		write_line(&line);
	}
	errno = saved;
}
