/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_COMMAND_OUTPUT_H
#define VBM_PROGRAM_COMMAND_OUTPUT_H

#include <stddef.h>

#include "base/watch.h"

/*
 * The two streams that a command writes, read as they come. The job of exec has one for each command on a host of this
 * kernel, a station one for each command that it starts.
 */
struct command_output {
	struct watch out[2];	/* owned: its stdout (perhaps a terminal) and stderr; -1: closed */
	void (*take)(struct command_output *o, int which, const char *bytes, size_t n);
};

/* Adds both streams to @loop. */
void command_output_watch(struct command_output *o, struct loop *loop);
/* To be called at the command's end: reads the rest. Other processes may still have the descriptors open. */
void command_output_drain(struct command_output *o);

#endif
