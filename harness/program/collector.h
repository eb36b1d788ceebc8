/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_COLLECTOR_H
#define VBM_PROGRAM_COLLECTOR_H

#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct text;

/*
 * A process that takes up what a program writes, so that the program never waits
 * for a reader and nobody has to listen to it meanwhile. What comes is kept in
 * memory (of each output the first COLLECTOR_HEAD bytes and the last COLLECTOR_TAIL)
 * and copied to a log, line by line (of both outputs the first COLLECTOR_LOGGED
 * bytes at once, and about as many of the last ones at the end). It ends at the end of
 * both outputs, or with collector_end(), or with the process that started it, and in
 * these cases takes first what was written by then.
 */
#define COLLECTOR_HEAD (4 * 1024 * 1024)
#define COLLECTOR_TAIL (4 * 1024 * 1024)
#define COLLECTOR_KEPT (COLLECTOR_HEAD + COLLECTOR_TAIL)
#define COLLECTOR_LOGGED (24 * 1024)

enum { COLLECT_OUT, COLLECT_ERR, COLLECT_COUNT };

struct collector {
	pid_t pid;		/* 0: it has ended */
	int control;		/* owned */
	int news;		/* owned: an eventfd, readable when something came */
	int kept[COLLECT_COUNT];	/* owned */
	uint64_t *all;		/* owned: how many bytes came of each output */
};

#define COLLECTOR_NONE {.control = -1, .news = -1, .kept = {-1, -1}}

struct collector_setup {
	const char *name;	/* stands before each line in the log */
	int from[COLLECT_COUNT];	/* must not block */
	int log_fd;		/* -1: none */
	int token_fd;		/* stays open while the collector works; -1: none */
};

int collector_start(struct collector *c, const struct collector_setup *setup,
		    struct vbm_error *err);

/* Wait until it has taken all that was written, and end it. Fine when it has ended. */
void collector_end(struct collector *c);

/*
 * What is kept so far, after what @out has. Where bytes are missing, which are
 * counted, a newline stands for them.
 */
uint64_t collector_read(const struct collector *c, int which, struct text *out);

void collector_fini(struct collector *c);

#endif
