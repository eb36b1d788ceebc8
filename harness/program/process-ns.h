/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_PROCESS_NS_H
#define VBM_PROGRAM_PROCESS_NS_H

#include <sys/types.h>

#include <verbatim/error.h>

/*
 * A process namespace for programs whose habits are unknown: whatever they
 * start, in whatever session, ends with the process namespace, and the process namespace ends with the
 * process that opened it, even by SIGKILL.
 */
struct process_ns {
	pid_t keeper;	/* its first process; 0: not open */
	int parent_pipe;	/* owned; the keeper ends when nobody holds it */
	int home, inside;	/* owned: namespaces */
};

#define PROCESS_NS_CLOSED ((struct process_ns){.parent_pipe = -1, .home = -1, .inside = -1})

/* Needs root; the caller may have one thread only while one is open. */
int process_ns_open(struct process_ns *ns, struct vbm_error *err);

/* As fork(2): the child is in the process namespace, and the caller's own all the same. */
pid_t process_ns_fork(const struct process_ns *ns);

/*
 * For a child that starts processes in @ns, and closes the other descriptors: only
 * @home and @inside have to stay open there.
 */
struct process_ns process_ns_lent(const struct process_ns *ns);

/* Ends all that is left; the caller has reaped its own. Fine when not open. */
void process_ns_close(struct process_ns *ns);

#endif
