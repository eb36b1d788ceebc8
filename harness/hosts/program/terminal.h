/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_TERMINAL_H
#define VBM_PROGRAM_TERMINAL_H

#include <verbatim/error.h>

/*
 * Make a pseudo-terminal for a program. The caller owns both descriptors. Reads of *@ours
 * do not block, and fail with EIO when no process has the other side open.
 */
int terminal_open(int *ours, int *theirs, struct vbm_error *err);

/*
 * Make a terminal that changes no byte, for a program's standard output. The program then
 * writes line by line, so that a crash loses nothing.
 */
int terminal_open_raw(int *ours, int *theirs, struct vbm_error *err);

#endif
