/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_PROCESS_NS_H
#define VBM_PROGRAM_PROCESS_NS_H

#include <sys/types.h>

#include <verbatim/error.h>

/*
 * A process namespace for programs of unknown behaviour. All processes that they start, in
 * any session, end with the namespace, and the namespace ends with the process that opened
 * it, even by SIGKILL.
 */
struct process_ns {
	pid_t keeper;	/* its first process; 0: not open */
	int parent_pipe;	/* owned; the keeper ends when no process has it open */
	int home, inside;	/* owned: namespaces */
};

#define PROCESS_NS_CLOSED ((struct process_ns){.parent_pipe = -1, .home = -1, .inside = -1})

/* Needs root. While a namespace is open, the caller must have only one thread. */
int process_ns_open(struct process_ns *ns, struct vbm_error *err);

/* Like fork(2): the child is in the process namespace, and still a child of the caller. */
pid_t process_ns_fork(const struct process_ns *ns);

/*
 * For a child that starts processes in @ns: it closes all other descriptors, and keeps
 * only @home and @inside open.
 */
struct process_ns process_ns_lent(const struct process_ns *ns);

/*
 * End all processes that are left. The caller must have waited for its children. Allowed
 * when the namespace is not open.
 */
void process_ns_close(struct process_ns *ns);

#endif
