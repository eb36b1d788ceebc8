/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_CORES_H
#define VBM_SESSION_EXEC_CORES_H

#include <stdbool.h>

struct exec_options;
struct lane;

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

#endif
