/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_REPORT_H
#define VBM_SESSION_EXEC_REPORT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "base/text.h"
#include "lane/kept.h"
#include "page/page.h"
#include "runs/stored.h"
#include "session/exec-status.h"

struct exec_options;
struct history;
struct lane;
struct report;
struct value;
struct worker;

/* The files exec-*.c share these declarations; each name says its file. */

/*
 * The file of --wire: a list of steps that make rules for packets, as a scenario has them. Pure. Returns lines
 * "rule" for the job, which the caller owns; or NULL, and the mistakes are in *@errors, a line each, which the
 * caller frees.
 */
struct value *exec_rules_read(const char *text, size_t len, const char *path, int hosts, char **errors);

/* Adds an event "rule" as a line: "b.drop_packets (wire.yaml:1) acted on 1 of 20 packets". */
void exec_rules_note(const struct value *event, const char *path, struct text *out);

/* The packets on the cables of a run, from its events "wire". Pure. Start with {0}. */
struct exec_wire_host {
	char *name;		/* owned */
	int64_t received;	/* RDMA packets, by its device */
	int64_t arrived;	/* RoCE packets, at its interface */
	bool has_capture;
	int64_t captured, lost;	/* packets of its interface */
	char *cable;		/* owned; the faults of its cable; NULL: none */
	int64_t dropped;	/* packets that it sent, by these faults */
};

struct exec_wire {
	struct exec_wire_host *host;	/* owned */
	size_t count;
};

void exec_wire_add(struct exec_wire *w, const struct value *event);

/* Makes the file wire.tsv. */
void exec_wire_table(const struct exec_wire *w, struct text *out);

/*
 * Makes a line for each thing that the caller would not expect: RDMA packets that stayed
 * on their host, packets that a capture lost.
 */
void exec_wire_notes(const struct exec_wire *w, struct text *out);
void exec_wire_fini(struct exec_wire *w);

#define EXEC_CAPTURE KEPT_CAPTURE

/*
 * The folder of "verbatim exec --output":
 *
 *   1-a.out, 1-a.err   output of the first command, on host a
 *   commands.tsv       number, host, status (or "-"), and the command
 *   counters.tsv       host, counter, value at the end
 *   wire.tsv                numbers of packets on each host's cable
 *   capture.pcapng          ... the packets, with --capture; the runner wrote it
 *   notes.txt               messages about the packets, and about cores
 *   a/NAME.PID.core, .txt   of a program that died; a guest's init wrote them
 *   stuck.txt          the commands that still ran when the run was ended
 *   kernel.txt         complaints of the kernel
 *   console-1.log      the console of a guest; written by the lane
 *
 * lane_take() brings the files of the runner and of init, when nothing runs any more.
 *
 * Start with {.dir_fd = -1}; then all functions do nothing.
 */
struct exec_output {
	int dir_fd;		/* owned */
	char *path;		/* owned; as --output names the folder, for messages */
	int *status;		/* owned; by command, -1 until it is known */
	struct exec_output_file {
		char *name;	/* owned */
		int fd;		/* owned */
	} *file;		/* owned; @files that were begun */
	size_t files;
};

/* Makes the folder; one that exists has to be empty, else -EEXIST, and no other run may write to it, else -EBUSY. */
int exec_output_open(struct exec_output *o, const char *path, const struct exec_options *opts,
		     struct vbm_error *err);
int exec_output_write(struct exec_output *o, const struct exec_options *opts, size_t command,
		      int stream, const char *data, size_t len, struct vbm_error *err);
void exec_output_status(struct exec_output *o, size_t command, int status);

/* Adds a text to one of the files. */
void exec_output_note(struct exec_output *o, const char *file, const char *text);
void exec_output_counters(struct exec_output *o, const struct value *event);
void exec_output_close(struct exec_output *o, const struct exec_options *opts);

/* Whether a program that ended with @status died of a signal that leaves a core. */
int exec_core_signal(int status);	/* 0: no */

/*
 * Reports the cores of programs that died, in the folder of --output: writes a backtrace
 * of gdb beside each core, and a line to stderr and to @note that names the file. If the
 * command @died (its number; -1: none) left no core, the line says why.
 */
void exec_cores_report(const struct exec_options *opts, const struct lane *lane, int died,
		       int status, void (*note)(const char *line, void *arg), void *arg);

/*
 * Prints the kernel's last lines on stderr, from its complaint on (@head: the complaint's
 * first line was not printed yet), and the path of the whole console: in the lane's
 * artifacts, else in a new file below TMPDIR. Does nothing if the lane has no console.
 * Returns whether a complaint was printed.
 */
bool exec_keep_console(struct lane *lane, bool head);

/*
 * Standard input of "verbatim exec", for one command or for none. If no command gets it,
 * it is not read, and input is an error, because its caller expects that a command gets
 * it.
 */
struct exec_input {
	bool wanted;		/* a command gets it */
	bool watched;		/* more may come */
	bool under_way;		/* a piece was sent that the command has not taken yet */
};

/* Returns -EINVAL if there is input that no command gets. */
int exec_input_begin(struct exec_input *in, bool wanted, struct vbm_error *err);

/* The descriptor to wait for, and its handler; when the hosts are ready. */
struct pollfd exec_input_wants(const struct exec_input *in);
int exec_input_act(struct exec_input *in, struct worker *w, struct vbm_error *err);

/* The end of what a command printed on both streams, in which its failure may have a name. */
struct exec_hint {
	struct text tail;
};

void exec_hint_hear(struct exec_hint *h, const char *data, size_t len);
void exec_hint_fini(struct exec_hint *h);

/*
 * Pure. One line about the last name or text in the output of command @first, else of
 * another of the @count commands, that 'verbatim explain' knows: an event
 * of rdma_cm, a status of a completion, an event of a device, a result of address
 * resolution, or, if there is none of these, a text of a well-known program, or an errno.
 * NULL if it has none. The caller frees.
 */
char *exec_hint_say(const struct exec_hint *h, size_t count, size_t first);

/*
 * The reports of --format, --html and --history. For them the whole run of commands is one variant,
 * with --name as its name, a step for each command that has ended, and a log for each host.
 * All calls are fine without these options, and do nothing then.
 */
struct exec_report {
	const struct exec_options *opts;
	struct report *report;		/* owned; NULL without --format */
	struct page *page;		/* owned; NULL without --html */
	struct page_file html;
	struct history *history;	/* owned; NULL without --history */
	struct stored_run earlier;	/* the last one of --history, for a format that compares */
	struct text *said;		/* owned; the end of the output, by command */
	char *stuck;			/* owned; the report about the hosts, or NULL */
	struct value *place;		/* owned; the members of the event "begin" */
	char *layout;			/* owned; or NULL */
	int64_t started_ns, fabric_ns;
	int64_t steps;
	bool begun;
	struct vbm_error unwritten;	/* code 0: every write has succeeded so far */
};

/* -EINVAL: there is no such format. Another error: the file of --html or --history cannot be made. */
int exec_report_open(struct exec_report *r, const struct exec_options *opts, struct vbm_error *err);

/* The place has started; @version is that of rdma-core. */
void exec_report_place(struct exec_report *r, const struct lane *lane, const char *version);
void exec_report_output(struct exec_report *r, size_t command, const char *data, size_t len);
void exec_report_exit(struct exec_report *r, size_t command, int status, bool ok);

/* Takes the events that reports know, and the stuck report. */
void exec_report_event(struct exec_report *r, const struct value *event);

/*
 * The verdict and the end; @why is an owned text, or NULL. Returns a negative errno with
 * @err if a report could not be written. A second call does nothing.
 */
int exec_report_end(struct exec_report *r, enum exec_end end, const char *why, int status,
		    struct vbm_error *err);

#endif
