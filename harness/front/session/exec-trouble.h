/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_TROUBLE_H
#define VBM_SESSION_EXEC_TROUBLE_H

#include <stdbool.h>

struct lane;

/*
 * Prints the kernel's last lines on stderr, from its complaint on (@head: the complaint's
 * first line was not printed yet), and the path of the whole console: in the lane's
 * artifacts, else in a new file below TMPDIR. Does nothing if the lane has no console.
 * Returns whether a complaint was printed.
 */
bool exec_keep_console(struct lane *lane, bool head);

#endif
