/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CMD_HANDSHAKE_TRACE_H
#define VBM_CMD_HANDSHAKE_TRACE_H

#include <infiniband/verbs.h>

/*
 * verbatim-handshake watches its own calls. Each call of ibv_modify_qp(3) is printed, with
 * its state, its mask, its thread and its result. Calls of send(2), recv(2), connect(2) and
 * accept4(2) are counted. The thread that calls handshake_trace_begin() is the polling
 * thread.
 */
void handshake_trace_begin(void);

/* The next call of ibv_modify_qp(3) to @state gets a mask that the kernel refuses. */
void handshake_trace_fail(enum ibv_qp_state state);

/* Print the numbers of socket calls, those of the polling thread and those of others. */
void handshake_trace_end(void);

#endif
