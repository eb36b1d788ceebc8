/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_LISTENING_H
#define VBM_PROGRAM_LISTENING_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether a process of the session @sid waits for peers: in listen(2) on a TCP socket or
 * in rdma_listen(3). A queue pair alone proves nothing: ibv_rc_pingpong makes its own
 * before it listens. The kernel announces neither, so the caller asks again and again, for
 * a limited time.
 */
bool listening_session_on_tcp(pid_t sid);

/* The same for a session on @host of the fabric, also in rdma_listen(3). */
struct fabric;
bool listening_session(struct fabric *fabric, int host, pid_t sid);

/* For rdma_listen(3): called with each @pid of netlink_rdma_listeners(). */
struct session_search {
	pid_t sid;
	bool found;
};
void session_search_see(int pid, void *search);

/*
 * Pure. The inode of the listening socket in a line of /proc/net/tcp or tcp6; 0 if the
 * line has no listening socket.
 */
unsigned long listening_tcp_inode(const char *line);

#endif
