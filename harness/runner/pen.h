/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNNER_PEN_H
#define VBM_RUNNER_PEN_H

#include <sys/types.h>

#include <verbatim/error.h>

/*
 * A process namespace for programs whose habits are unknown: whatever they
 * start, in whatever session, ends with the pen, and the pen ends with the
 * process that opened it, even by SIGKILL.
 */
struct pen {
	pid_t keeper;	/* its first process; 0: not open */
	int leash;	/* owned; the keeper ends when nobody holds it */
	int home, inside;	/* owned: namespaces */
};

#define PEN_CLOSED ((struct pen){.leash = -1, .home = -1, .inside = -1})

/* Needs root; the caller may have one thread only while one is open. */
int pen_open(struct pen *pen, struct vbm_error *err);

/* As fork(2): the child is in the pen, and the caller's own all the same. */
pid_t pen_fork(const struct pen *pen);

/* Ends all that is left; the caller has reaped its own. Fine when not open. */
void pen_close(struct pen *pen);

#endif
