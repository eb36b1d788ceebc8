/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_OUTPUT_H
#define VBM_SESSION_EXEC_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "lane/kept.h"

#define EXEC_CAPTURE KEPT_CAPTURE

struct exec_options;
struct value;

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

#endif
