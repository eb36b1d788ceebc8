/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNNER_LISTENING_H
#define VBM_RUNNER_LISTENING_H

#include <stdbool.h>
#include <sys/types.h>

struct fabric;

/*
 * Whether a process of the session @sid, which was started on @host, waits for
 * peers: in listen(2) on a TCP socket or in rdma_listen(3). A queue pair alone
 * says nothing: ibv_rc_pingpong makes its own before it listens.
 *
 * The kernel announces neither, so this is asked again and again, for a time
 * that is bounded (job-exec.c).
 */
bool session_listens(struct fabric *fabric, int host, pid_t sid);

/*
 * Pure: the inode of the listening socket that a line of /proc/net/tcp or tcp6
 * tells of; 0 when the line is of something else.
 */
unsigned long tcp_listening_inode(const char *line);

#endif
