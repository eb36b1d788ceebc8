/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_CORE_XSTATE_H
#define VBM_SESSION_CORE_XSTATE_H

/*
 * A user-mode kernel writes the note of a core's extended registers as a signal frame has
 * them: with a magic number where debuggers expect the set of registers (XCR0), and that
 * set 8 bytes on. gdb refuses such a file. Moves the set to the right position. Does not
 * change a file that is no core of x86-64, is truncated, or is right already.
 */
void core_mend_xstate(const char *path);

#endif
