/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_PROGRAM_H
#define VBM_PROGRAM_PROGRAM_H

/*
 * Runs in: the agent that starts programs, in its main thread; a collector process reads their output.
 * Owns:    the programs of a host and what they wrote.
 * Ends:    with their agent: the process namespace of the variant ends the rest.
 * Tests:   unit/test_program, test_exec; tests/guest/programs.test.
 */

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "program/collector.h"
#include "program/process-ns.h"

/* The things that all programs of a scenario on a host share. */
struct program_home {
	struct process_ns ns;	/* of all programs on all hosts; they end with it */
	char **envp;		/* borrowed */
	int token_fd;		/* see struct collector_setup */
};

struct program_setup {
	const struct program_home *home;
	const char *name;		/* for the log */
	const char *const *argv;
	char **envp;
	const char *cwd;		/* must exist, see program_look() */
	const char *input;		/* for standard input; NULL: no input */
	int log_fd;			/* for its output; -1: no log */
};

/* A program on the caller's host, from its start until it is freed. */
struct program;

/*
 * 0, or -ENOENT with @err when the folder @cwd or the program @name does not exist. A name
 * with a slash is relative to @cwd; another is searched in the PATH of @envp.
 */
int program_look(const char *name, const char *cwd, char **envp, struct vbm_error *err);

int program_start(struct program **out, const struct program_setup *setup,
		  struct vbm_error *err);

/* Whether the program still runs. If not, all its output has been stored. */
bool program_runs(struct program *p);

/* 0 when the program has ended, -ETIMEDOUT at the deadline. */
int program_wait(struct program *p, int64_t deadline_ns);

/*
 * Wait until the program has written something, has ended, or the time is over. May return
 * earlier.
 */
void program_wait_news(struct program *p, int64_t deadline_ns);

/* Signal the program's process group. Nothing happens when the program has ended. */
void program_signal(struct program *p, int sig);

/* The status of waitpid(2), after the program has ended. */
int program_status(const struct program *p);

pid_t program_session(const struct program *p);

/*
 * The program's output so far, unchanged. If it has many megabytes, its middle is missing:
 * a newline takes the place of the missing bytes, and their number is returned.
 */
uint64_t program_read(const struct program *p, int which, struct text *out);

/* End the program and free it. NULL is allowed. */
void program_free(struct program *p);

/*
 * Pure. Find the first line of @text that matches. *@match is the part of it that the
 * first group matched, or the whole expression if it has no group. The caller owns both
 * texts. A last line without a newline counts as well.
 */
bool program_line(const struct text *text, const regex_t *regex, char **line, char **match);

/*
 * Pure. Whether the next bytes of the program may belong to that @match: a group that reaches to the
 * end of a line that has no newline yet.
 */
bool program_line_grows(const struct text *text, const regex_t *regex);

/*
 * Pure. The output of a program for a report: without the newlines at the end, and with
 * \x1b for control characters except newline and tab. Of more than @max bytes it has the
 * first and the last half, with a line between them that tells how many are missing;
 * *@left_out is that number. @lost: bytes that are missing from @text already.
 */
char *program_shown(const struct text *text, uint64_t lost, size_t max, uint64_t *left_out);

#endif
