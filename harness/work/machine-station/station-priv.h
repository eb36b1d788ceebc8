/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINE_STATION_STATION_PRIV_H
#define VBM_MACHINE_STATION_STATION_PRIV_H

/* For the files of machine-station/ only. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "base/text.h"
#include "base/watch.h"
#include "fabric/fabric.h"
#include "process/line.h"
#include "program/activity.h"
#include "program/spawn.h"
#include "program/process-ns.h"

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

/* One command of the runner's user. */
struct station_command {
	struct station *station;
	struct station_command *next;
	int number;		/* of its channel */
	pid_t pid;
	bool terminal;
	struct command_output output;
	struct watch end;	/* its pidfd, owned; it comes after @output */
	struct watch in;	/* owned; of a terminal the same descriptor as out[0] */
	struct text input;	/* owned; that was not written yet */
	bool input_ended;
	struct activity activity;
};

struct station {
	int out;		/* to the runner */
	bool gone;		/* the runner does not read any more */
	struct loop loop;
	struct watch input;
	struct line_buffer in;
	struct fabric *fabric;	/* owned; of this machine alone; NULL before the question "find" */
	int host;		/* its number among the runner's hosts */
	struct value *swept;	/* owned; lines about what a killed run had left, until "find" tells them; NULL: nothing was swept yet */
	struct number_board *board;	/* owned */
	struct lodger lodgers[LODGERS_MAX];
	struct station_command *commands;	/* owned */
	struct process_ns process_ns;	/* of all commands; not open: there is none yet, or this is not root */
	int path[2];		/* owned; sockets of the path check, by family; -1: none */
	int kmsg_fd;		/* owned; -1: nobody asked for this kernel's messages */
	const char *connection;	/* SSH_CONNECTION of sshd; "": there is none */
	bool may_disturb;	/* steps may change this machine */
	struct timer silence;	/* armed while a scenario has changed it */
	struct watch signals;	/* owned; those that would end this process */
	uint64_t rx_before;	/* bytes that the interface had received before that check */
};

/* say.c: a line for the runner. */
void station_say(struct station *s, int channel, const char *text);
void station_say_value(struct station *s, const struct value *v);
/* An agent or a command is gone. @log: what it wrote to its standard error, or why it did not start. */
void station_tell_end(struct station *s, int number, int status, const char *log);
/* Appends a line to the list @list, which an answer will have. */
void station_note_line(const char *line, void *list);

/* lodger.c */
int lodger_start(struct station *s, const struct value *setup);
void lodger_end(struct lodger *l);	/* kills it */
void lodger_signal(struct station *s, int number, int signal);
void lodger_write(struct station *s, int number, const char *line, size_t len);
int lodger_doing(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err);

/* command.c */
void station_command_start(struct station *s, const struct value *setup);
/* False: there is no command with this number. */
bool station_command_write(struct station *s, int number, const char *line, size_t len);
bool station_command_signal(struct station *s, int number, int signal);
void station_commands_end(struct station *s);	/* kills all */
/* Questions about one. */
int station_command_ready(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err);
int station_command_processes(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err);

/* question.c: answers one of the runner's questions. */
void station_answer(struct station *s, const struct value *question);

/* disturb.c: from now on steps may change this machine, and it is put back when this process ends. */
void station_begin_changes(struct station *s);
/* A signal that would end this process makes it undo its changes first. */
void station_catch_signals(struct station *s);
/* Before a request for an agent: false if it may not be passed on, and the answer was given. */
bool station_may_pass(struct station *s, int number, const char *line, size_t len);
/* A line of the runner ends its silence, which has a limit while this machine is changed. */
void station_heard(struct station *s);
int station_put_back(struct station *s, struct vbm_error *err);

/* path.c: questions about the path between the machines. */
int path_listen(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err);
int path_try(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err);

#endif
