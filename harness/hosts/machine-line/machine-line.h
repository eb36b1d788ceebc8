/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINE_LINE_MACHINE_LINE_H
#define VBM_MACHINE_LINE_MACHINE_LINE_H

/*
 * Runs in: the runner (doctor: the front end), in its main thread; ssh is a child of it.
 * Owns:    one ssh or one socket for each machine, and a channel for each agent and command.
 * Ends:    machine_line_close(), which ends ssh; the station ends with its line.
 * Tests:   unit/test_machines; tests/guest/hosts.test, hosts-break.test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

struct value;

/*
 * The runner's connection to a machine: ssh, with this program as a station at
 * its other end (machine-station/station.h). All that both say are lines on the standard input and output of
 * ssh. A line begins with a number and a blank: 0 for the station itself, or the number of an
 * agent. The rest is a JSON object. Channel 0 carries
 *
 *   runner:  {"ask": NAME, ...}                    a question; at most one is open
 *            {"agent": N, ...}                     start an agent
 *            {"command": N, ...}                   start a command: machine-line/machine-command.h
 *            {"signal": N, "number": S}            send it a signal
 *   station: {"answer": {...}} or {"error": {...}} of the question
 *            {"ended": N, "status": W, "log": T}   an agent or a command is gone
 *
 * The station ends, with all its agents and commands, when its standard input ends.
 */
struct machine_line;

/* The line with which a station begins. A banner of a shell may come before it. */
#define DISTANT_MARK "verbatim-station " PACKAGE_VERSION

/* The word after the program's name that makes it a station; the next one is SSH_CONNECTION. */
#define DISTANT_STATION_WORD "--station"

#define DISTANT_LINE_MAX (4 << 20)

/* The copy of this program that machines need, to find it there and to say that it is whole. */
struct machine_line_program {
	char digest[65];	/* SHA-256 */
	long long size;
};

int machine_line_program_read(struct machine_line_program *program, struct vbm_error *err);

/*
 * Starts the connection to @machine, an entry of a job's "machines", without waiting for it, so that
 * several can start at the same time. machine_line_ready() waits: it copies this program to the machine
 * if the machine does not have it yet. Both name the machine in @err.
 */
int machine_line_begin(struct machine_line **out, const struct value *machine, const struct machine_line_program *program,
		  struct vbm_error *err);
int machine_line_ready(struct machine_line *there, struct vbm_error *err);
/* The same over @fd, the line to a station that runs already: machine_line_ready() waits for its mark. */
void machine_line_adopt(struct machine_line **out, const struct value *machine, int fd);
void machine_line_close(struct machine_line *there);	/* NULL is fine */

const char *machine_line_name(const struct machine_line *there);	/* "a (root@lab1)" */
bool machine_line_copied(const struct machine_line *there);		/* the program was copied to the machine */

/* A question, which this call takes; and its answer, which the caller owns. */
int machine_line_post(struct machine_line *there, struct value *question, struct vbm_error *err);
int machine_line_answer(struct machine_line *there, struct value **answer, int deadline_ms, struct vbm_error *err);
int machine_line_ask(struct machine_line *there, struct value *question, struct value **answer, int deadline_ms,
	     struct vbm_error *err);

/* Why the connection is of no use any more; NULL while it works. */
const char *machine_line_broken(const struct machine_line *there);

/*
 * From now on a wait for a line of an agent of @there also ends when the connection to @other
 * does, and the other way round, with -ECONNABORTED. More than two can be in such a group.
 */
void machine_line_join(struct machine_line *there, struct machine_line *other);

/* Why a connection of the group is of no use any more, its own first; NULL while all work. */
const char *machine_line_lost(const struct machine_line *there);

/* Borrowed, for poll(2): readable when the machine says anything, or is gone. */
int machine_line_fd(const struct machine_line *there);

/*
 * For those who wait for machine_line_fd() with others: machine_line_hear() reads what has arrived, and machine_line_sort()
 * hands the lines that were read to their channels. Neither waits.
 */
void machine_line_hear(struct machine_line *there);
void machine_line_sort(struct machine_line *there);

/* The lines of one agent or command on a machine. */
struct channel;

/*
 * Starts a process of the @kind "agent" or "command" with the options @setup, which this call takes. What an
 * agent writes to its standard error is written to @log_fd at its end; -1: it is lost.
 */
int channel_open(struct channel **out, struct machine_line *there, const char *kind, struct value *setup, int log_fd,
		 struct vbm_error *err);
int channel_write(struct channel *c, const char *line, int64_t deadline_ns);
/* As line_read(), but 0 also if the connection broke, and -ECONNABORTED if another of its group did: machine_line_join(). */
int channel_read(struct channel *c, const char **line, size_t *len, int64_t deadline_ns);
/* The next line that was handed to the channel, valid until the next call; NULL: there is none. */
const char *channel_next(struct channel *c, size_t *len);
/* Its number, by which questions name it. */
int channel_number(const struct channel *c);
/* Waits until the agent is gone; then *@status is that of waitpid(2). A broken connection counts as its end, with exit code 255. */
bool channel_ended(struct channel *c, int64_t deadline_ns, int *status);
/* The same without waiting. */
bool channel_is_over(const struct channel *c, int *status);
int channel_signal(struct channel *c, int signal);
struct machine_line *channel_machine(const struct channel *c);
/* Kills the agent, and waits until it is gone. NULL is fine. */
void channel_close(struct channel *c);

#endif
