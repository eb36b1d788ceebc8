/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_CORES_H
#define VBM_SESSION_EXEC_CORES_H

struct exec_options;
struct lane;

/* Whether a program that ended with @status died of a signal that leaves a core. */
int exec_core_signal(int status);	/* 0: no */

/*
 * What programs left that died, in the folder of --output: a backtrace by gdb goes
 * beside each core, and a line on stderr, and to @note, tells where it is. Where the
 * command @died (its number; -1: none) left no core, the line says why.
 */
void exec_cores_report(const struct exec_options *opts, const struct lane *lane, int died,
		       int status, void (*note)(const char *line, void *arg), void *arg);

#endif
