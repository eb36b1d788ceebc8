/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_DEBUGGER_H
#define VBM_PROCESS_DEBUGGER_H

#include <stdbool.h>
#include <sys/types.h>

struct text;

/*
 * Asks gdb for all threads' frames: of @program and its @core, or, if @core is NULL,
 * of the process whose number is @program. gdb reads no file of its user, asks no network,
 * and is killed after @seconds. The caller frees *@said. False if there is no gdb; *@well
 * tells whether it ended well.
 */
bool debugger_backtrace(const char *program, const char *core, int seconds, char **said,
			bool *well);

/*
 * Adds the frames of the threads of a living process, in lines that begin with @indent; by
 * gdb, or by eu-stack(1) if there is no gdb. Adds nothing if neither can tell.
 */
void debugger_add_stack(struct text *out, pid_t pid, int seconds, const char *indent);

/*
 * Pure. Adds the lines of gdb or eu-stack that are about threads and frames, and no more
 * than that.
 */
void debugger_add_frames(struct text *out, char *said, const char *indent);

#endif
