/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINE_LINE_MACHINE_LINE_PRIV_H
#define VBM_MACHINE_LINE_MACHINE_LINE_PRIV_H

/* For the files of machine-line/ only. */
#include <sys/types.h>

#include "machine-line/machine-line.h"
#include "process/line.h"

struct machine_line {
	const struct value *machine;	/* borrowed */
	char *name;			/* owned */
	pid_t pid;			/* of ssh; 0: reaped */
	int fd;				/* its standard input and output; owned */
	bool adopted;			/* who made the line also ends the station */
	int said_fd;			/* what ssh and the machine write to standard error; owned */
	int status;			/* of ssh, once reaped */
	struct line_reader reader;
	char *banner;			/* owned; the last line before the mark, or NULL */
	bool copied;
	char *broken;			/* owned, or NULL */
	struct value *answer;		/* owned; the line that answers the last question, or NULL */
	int last_number;		/* of its channels */
	struct machine_line *beside;		/* borrowed: a ring of the group, see machine_line_join() */
	struct channel *channels;	/* borrowed: a list */
};

/* A line that came while nobody read it. */
struct waiting_line {
	struct waiting_line *next;	/* owned */
	size_t len;
	char text[];
};

/* The most bytes of such lines. ssh stores less than that. */
#define WAITING_MAX (32 << 20)

struct channel {
	struct machine_line *there;	/* borrowed */
	struct channel *next;
	int number, log_fd;
	struct waiting_line *first, **last;	/* owned; @last points to the end of the list */
	size_t waiting;		/* bytes in it */
	struct waiting_line *read;	/* owned; the line that the reader has */
	bool ended;
	int status;		/* once it has ended */
};

/* start.c: what ssh is called with. The caller frees the words, and the array. */
char **machine_line_command(const struct value *machine, const char *script);
/* The script for the shell of the machine. The caller frees it. */
char *machine_line_script(const struct value *machine, const struct machine_line_program *program);
/* A remedy for the last words @said of ssh or of the machine; NULL: none is known. */
const char *machine_line_hint(const char *said);

/* end.c: waits for the end of ssh. */
void machine_line_reap(struct machine_line *l);
/* Notes why the connection is of no use; returns -ECONNRESET with @err. */
int machine_line_break(struct machine_line *there, struct vbm_error *err, const char *what);
/*
 * deliver.c: reads one line of the machine, and hands it to whom it is for. 1, or as line_read(), or
 * -ECONNABORTED once for each other connection of the group that has ended.
 */
int machine_line_take(struct machine_line *there, int64_t deadline_ns);

/* Waits until @l has something to read: 0, -ETIMEDOUT, or -ECONNABORTED as machine_line_take(). */
int machine_line_wait(struct machine_line *l, int64_t deadline_ns);

#endif
