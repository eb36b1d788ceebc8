/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_TROUBLE_H
#define VBM_SESSION_EXEC_TROUBLE_H

#include <stdbool.h>

struct lane;

/*
 * What a kernel said last, on stderr, from the head of its complaint on (@head:
 * it was not printed yet), and where all of it is kept: in the lane's artifacts,
 * else in a new file below TMPDIR. Nothing where a lane has no console. Whether
 * a complaint was printed.
 */
bool exec_keep_console(struct lane *lane, bool head);

#endif
