/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_ACTIVITY_H
#define VBM_PROGRAM_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Nothing announces that a program is ready. So its state is looked up, and a probe
 * command is run, this often:
 */
#define READY_CHECK_MS 25
#define READY_PROBE_PAUSE_MS 50	/* pause after a probe command that failed */

/*
 * Whether a started program has no more work, and so waits for its peers: all threads of
 * its session sleep, and none has run for a tenth of a second. A program that polls, or
 * sleeps and wakes again and again, counts as waiting after a second. Both times are
 * multiplied by the clock's factor.
 */
struct activity {
	uint64_t done;		/* the session's work at the last look */
	int64_t quiet_ns;	/* the end of the time without work; 0: no look yet */
	int64_t head_start_ns;	/* the program counts as waiting then */
};

void activity_begin(struct activity *a);

/* The kernel does not announce it, so the caller has to ask again and again. */
bool activity_is_over(struct activity *a, pid_t sid);

/*
 * Whether a process of the session @sid waits for peers: in listen(2) on a TCP socket or
 * in rdma_listen(3). A queue pair alone proves nothing: ibv_rc_pingpong makes its own
 * before it listens. The kernel announces neither, so the caller asks again and again, for
 * a limited time.
 */
bool activity_listening_on_tcp(pid_t sid);

/* The same for a session on @host of the fabric, also in rdma_listen(3). */
struct fabric;
bool activity_listening_session(struct fabric *fabric, int host, pid_t sid);

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
unsigned long activity_tcp_inode(const char *line);

struct text;

/*
 * Adds the processes of a session, and where in the kernel each of their threads waits. @seconds: how long a debugger
 * may take to find the stack of one process; 0: no stacks. *@stacks: how many more processes get one.
 */
void activity_report(struct text *out, pid_t session, int seconds, int *stacks);

#endif
