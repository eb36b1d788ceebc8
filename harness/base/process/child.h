/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_CHILD_H
#define VBM_PROCESS_CHILD_H

/*
 * Runs in: the process that starts others, in its main thread; between fork and exec in the child.
 * Owns:    pids and descriptors, until the caller ends them.
 * Ends:    child_end(), or when the program ends.
 * Tests:   unit/test_task, test_stop; tests/guest/exec-end.test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

/* The settings of a process just after fork(2), with or without an exec. */
struct child_setup {
	/*
	 * getppid() in the child: the number that the parent had before fork(2), or 0 when
	 * the parent is outside the child's process namespace. CHILD_OUTLIVES: the child
	 * does not end with its parent.
	 */
	pid_t parent;
	int death_signal;	/* sent to the child when the parent ends; 0: SIGKILL */
	const char *name;	/* for ps(1), 15 bytes at most; NULL: the parent's */
	const int *stdio;	/* three descriptors, -1 for /dev/null; NULL: the parent's */
	const int *keep;	/* other descriptors that stay open; -1: no descriptor */
	size_t keep_count;
	int ignore[3];		/* signals, up to a 0; all others get their default action */
	bool no_core;		/* a crash leaves no core file */
};

#define CHILD_OUTLIVES (-1)

/*
 * To be called first in the child. Afterwards no signal is blocked, no handler is left,
 * only the named descriptors are open, and the child ends with its parent, even if the
 * parent has ended before this call. Returns 0 or a negative errno.
 */
int child_begin(const struct child_setup *setup);

/* In the parent: kill @pid and wait for its end. Nothing happens when @pid is 0 or less. */
void child_end(pid_t pid);

/*
 * The name server and the path service of a scenario's hosts are child processes that run
 * this program's code, without exec(2). Each has a log in memory, which steps read.
 */

/*
 * child_begin() for such a child. @keep stays open in addition to the three standard
 * descriptors.
 */
void child_service_begin(const char *name, pid_t parent, const int *keep, size_t count);

/* Make an empty log, for appending. The caller owns the descriptor. */
int child_log(const char *name, struct vbm_error *err);

/* The contents of a log, which the caller frees; NULL with @err. @whose: for the message. */
char *child_log_read(int fd, const char *whose, struct vbm_error *err);
int child_log_clear(int fd, const char *whose, struct vbm_error *err);

#endif
