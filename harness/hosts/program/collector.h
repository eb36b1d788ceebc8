/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_COLLECTOR_H
#define VBM_PROGRAM_COLLECTOR_H

#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct text;

/*
 * A process that reads the output of a program, so that the program never waits for a
 * reader and no other process has to read meanwhile. The output is stored in memory: of
 * each stream the first COLLECTOR_HEAD bytes and the last COLLECTOR_TAIL. It is also
 * copied to a log, line by line: of both streams together the first COLLECTOR_LOGGED bytes
 * at once, and about as many of the last ones at the end. The process ends at the end of
 * both streams, by collector_end(), or with the process that started it. In each case it
 * first reads everything that was written by then.
 */
#define COLLECTOR_HEAD (4 * 1024 * 1024)
#define COLLECTOR_TAIL (4 * 1024 * 1024)
#define COLLECTOR_KEPT (COLLECTOR_HEAD + COLLECTOR_TAIL)
#define COLLECTOR_LOGGED (24 * 1024)

enum { COLLECT_OUT, COLLECT_ERR, COLLECT_COUNT };

struct collector {
	pid_t pid;		/* 0: the process has ended */
	int control;		/* owned */
	int news;		/* owned: an eventfd, readable when there is new output */
	int kept[COLLECT_COUNT];	/* owned */
	uint64_t *all;		/* owned: the number of bytes of each stream */
};

#define COLLECTOR_NONE {.control = -1, .news = -1, .kept = {-1, -1}}

struct collector_setup {
	const char *name;	/* comes before each line in the log */
	int from[COLLECT_COUNT];	/* must be non-blocking */
	int log_fd;		/* -1: no log */
	int token_fd;		/* stays open while the collector runs; -1: no token */
};

int collector_start(struct collector *c, const struct collector_setup *setup,
		    struct vbm_error *err);

/*
 * Wait until everything that was written is stored, and end the process. Allowed when it
 * has ended.
 */
void collector_end(struct collector *c);

/*
 * Add the stored output that comes after the contents of @out. Returns the number of
 * missing bytes; a newline takes their place.
 */
uint64_t collector_read(const struct collector *c, int which, struct text *out);

void collector_fini(struct collector *c);

#endif
