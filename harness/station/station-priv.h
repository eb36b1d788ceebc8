/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STATION_PRIV_H
#define VBM_STATION_PRIV_H

/* For the files of station/ only. */
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "base/watch.h"
#include "fabric/fabric.h"
#include "process/line.h"

struct number_board;
struct value;

/* One agent of the runner. */
struct lodger {
	int number;		/* of its channel */
	pid_t pid;		/* 0: the place is free */
	struct station *station;
	struct watch said;	/* owned; its socket; it comes before @gone */
	struct watch gone;	/* owned; its pidfd */
	int log_fd;		/* owned */
	struct line_buffer lines;
};

#define LODGERS_MAX 64

struct station {
	int out;		/* to the runner */
	bool gone;		/* the runner does not read any more */
	struct loop loop;
	struct watch input;
	struct line_buffer in;
	struct fabric *fabric;	/* owned; of this machine alone; NULL before the question "find" */
	int host;		/* its number among the runner's hosts */
	struct number_board *board;	/* owned */
	struct lodger lodgers[LODGERS_MAX];
	int path[2];		/* owned; sockets of the path check, by family; -1: none */
	uint64_t rx_before;	/* bytes that the interface had received before that check */
};

/* say.c: a line for the runner. */
void station_say(struct station *s, int channel, const char *text);
void station_say_value(struct station *s, const struct value *v);

/* lodger.c */
int lodger_start(struct station *s, const struct value *setup);
void lodger_end(struct lodger *l);	/* kills it */
void lodger_signal(struct station *s, int number, int signal);
void lodger_write(struct station *s, int number, const char *line, size_t len);

/* question.c: answers one of the runner's questions. */
void station_answer(struct station *s, const struct value *question);

/* path.c: questions about the path between the machines. */
int path_listen(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err);
int path_try(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err);

#endif
