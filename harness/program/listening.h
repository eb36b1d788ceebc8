/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_LISTENING_H
#define VBM_PROGRAM_LISTENING_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether a process of the session @sid waits for peers: in listen(2) on a TCP
 * socket or in rdma_listen(3). A queue pair alone says nothing: ibv_rc_pingpong
 * makes its own before it listens. The kernel announces neither, so the caller
 * asks again and again, for a time that is bounded.
 */
bool session_listens_on_tcp(pid_t sid);

/* For rdma_listen(3): visits each @pid that netlink_rdma_listeners() tells of. */
struct session_search {
	pid_t sid;
	bool found;
};
void session_search_see(int pid, void *search);

/*
 * Pure: the inode of the listening socket that a line of /proc/net/tcp or tcp6
 * tells of; 0 when the line is of something else.
 */
unsigned long tcp_listening_inode(const char *line);

#endif
