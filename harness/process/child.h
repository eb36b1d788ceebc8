/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_CHILD_H
#define VBM_PROCESS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What a process that was just forked needs, whether it calls exec or not. */
struct child_setup {
	/*
	 * getppid() as the child sees it: the number that the parent had before
	 * fork(2), or 0 when the parent is outside the child's process namespace.
	 * CHILD_OUTLIVES: the child does not end with its parent.
	 */
	pid_t parent;
	int death_signal;	/* what it gets when the parent ends; 0: SIGKILL */
	const char *name;	/* for ps(1), 15 bytes at most; NULL: the parent's */
	const int *stdio;	/* three descriptors, -1 for /dev/null; NULL: the parent's */
	const int *keep;	/* what else stays open; -1 stands for none */
	size_t keep_count;
	int ignore[3];		/* signals, up to a 0; all others get their default action */
	bool no_core;		/* a crash leaves no core file */
};

#define CHILD_OUTLIVES (-1)

/*
 * In the child, first: no signal is blocked, no handler is left, only the named
 * descriptors are open, and the child ends with its parent, also when the
 * parent ended before this call. Returns 0 or a negative errno.
 */
int child_begin(const struct child_setup *setup);

/* In the parent: kill and reap @pid. Nothing happens when it is 0 or less. */
void child_end(pid_t pid);

#endif
