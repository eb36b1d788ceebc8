/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_PROGRAM_H
#define VBM_PROGRAM_PROGRAM_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "program/collector.h"
#include "program/process-ns.h"

/* What all programs of a scenario have in common on a host. */
struct program_home {
	struct process_ns ns;	/* all of them, of all hosts; they end with it */
	char **envp;		/* borrowed */
	int token_fd;		/* see struct collector_setup */
};

struct program_setup {
	const struct program_home *home;
	const char *name;		/* in the log */
	const char *const *argv;
	char **envp;
	const char *cwd;		/* must be there: see program_look() */
	const char *input;		/* on its standard input; NULL: nothing */
	int log_fd;			/* gets what it writes; -1: nobody */
};

/* A program that runs on the caller's host, from its start until it is freed. */
struct program;

/*
 * 0, or -ENOENT with @err when @cwd or the program @name is not there: a name with
 * a slash is looked for from @cwd on, another in the PATH of @envp.
 */
int program_look(const char *name, const char *cwd, char **envp, struct vbm_error *err);

int program_start(struct program **out, const struct program_setup *setup,
		  struct vbm_error *err);

/* Whether it runs. When it does not all that it wrote has been taken up. */
bool program_runs(struct program *p);

/* 0 once it has ended, -ETIMEDOUT at the deadline. */
int program_wait(struct program *p, int64_t deadline_ns);

/* Wait until it has written something, has ended, or the time is over; it may be earlier. */
void program_wait_news(struct program *p, int64_t deadline_ns);

/* To its process group; nothing happens when it has ended. */
void program_signal(struct program *p, int sig);

/* Of waitpid(2), once it has ended. */
int program_status(const struct program *p);

pid_t program_session(const struct program *p);

/*
 * What it wrote so far, as it is, but for the middle of many megabytes: how many bytes
 * are missing where a newline stands for them.
 */
uint64_t program_read(const struct program *p, int which, struct text *out);

/* Ends it. NULL is fine. */
void program_free(struct program *p);

/*
 * Pure. The first line of @text that matches; the line, and of it what the first
 * group matched or, without one, the whole expression. The caller owns both. A line
 * without an end counts, too.
 */
bool program_line(const struct text *text, const regex_t *regex, char **line, char **match);

/*
 * Pure. What a program wrote, fit for a report: without the newlines at the end,
 * control characters but newline and tab as \x1b. Of more than @max bytes the first
 * and the last half, and between them a line that says so; *@left_out counts the bytes
 * that are not there. @lost more are missing in the middle of what is longer.
 */
char *program_shown(const struct text *text, uint64_t lost, size_t max, uint64_t *left_out);

#endif
