/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_TERMINAL_H
#define VBM_PROGRAM_TERMINAL_H

#include <verbatim/error.h>

/*
 * A terminal for a program. The caller owns both descriptors; reads of *@ours do
 * not block, and fail with EIO once nobody holds the other side any more.
 */
int terminal_open(int *ours, int *theirs, struct vbm_error *err);

/*
 * One that changes no byte, for the standard output of a program, which then writes
 * line by line, so that a crash loses nothing.
 */
int terminal_open_raw(int *ours, int *theirs, struct vbm_error *err);

#endif
