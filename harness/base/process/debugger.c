/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/debugger.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "process/program.h"

#define NOT_FOUND 127
#define FRAME_MAX 160	/* of a line of a report */

/* Runs a debugger; false if it is not installed. */
static bool run_debugger(const char *const *words, int seconds, const char *const *more, char **said,
			 bool *well)
{
	auto_free char *limit = xasprintf("%d", seconds);
	const char *argv[32] = {"timeout", "-s", "KILL", limit};
	size_t n = 4;
	int status = 0, rc;

	while (*words)
		argv[n++] = *words++;
	while (*more)
		argv[n++] = *more++;
	/* program_says() changes none of them. */
	rc = program_says((char *const *)(uintptr_t)argv, said, &status, NULL);
	*well = rc == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	return rc == 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND);
}

bool debugger_backtrace(const char *program, const char *core, int seconds, char **said,
			bool *well)
{
	static const char *const gdb[] = {
		"gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off",
		"-iex", "set auto-load gdb-scripts off", "-iex", "set auto-load python-scripts off",
		"-ex", "thread apply all backtrace", NULL,
	};
	const char *const of_core[] = {program, core, NULL};
	const char *const of_process[] = {"-p", program, NULL};

	return run_debugger(gdb, seconds, core ? of_core : of_process, said, well);
}

/* The number of a thread in "Thread 2 (Thread 0x7f (LWP 48) "x"):" or "TID 48:"; or 0. */
static int thread_of(const char *line)
{
	const char *lwp = strstr(line, "(LWP ");
	int tid = 0;

	if (!strncmp(line, "Thread ", 7) && lwp)
		sscanf(lwp, "(LWP %d", &tid);
	/* A program without threads for gdb. */
	if (!strncmp(line, "Thread ", 7) && !lwp)
		sscanf(line, "Thread %*d (process %d", &tid);
	if (!strncmp(line, "TID ", 4))
		sscanf(line, "TID %d", &tid);
	return tid;
}

void debugger_add_frames(struct text *out, char *said, const char *indent)
{
	char *pos, *line;
	int tid;

	for (pos = said; (line = file_next_line(&pos));) {
		tid = thread_of(line);
		if (tid)
			text_addf(out, "%sthread %d is here:\n", indent, tid);
		else if (*line == '#')
			text_addf(out, "%s  %.*s\n", indent, FRAME_MAX, line);
	}
}

void debugger_add_stack(struct text *out, pid_t pid, int seconds, const char *indent)
{
	static const char *const eu_stack[] = {"eu-stack", "-p", NULL};
	auto_free char *number = xasprintf("%d", pid), *said = NULL;
	const char *const more[] = {number, NULL};
	bool well;

	if (debugger_backtrace(number, NULL, seconds, &said, &well)) {
		debugger_add_frames(out, said, indent);
		return;
	}
	free(steal(&said));
	if (run_debugger(eu_stack, seconds, more, &said, &well))
		debugger_add_frames(out, said, indent);
}
