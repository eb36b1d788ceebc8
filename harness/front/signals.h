/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_SIGNALS_H
#define VBM_FRONT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

/*
 * SIGINT, SIGTERM and SIGHUP of a front end. From signals_open() on they do not
 * end the process: they make @fd readable, so that the places can be ended and
 * the report can be finished first. A signal that this process was told to
 * ignore (nohup) stays ignored.
 */
struct signals {
	int fd;			/* owned */
	sigset_t old_mask;
	int caught;		/* the first that was taken, or 0 */
	pid_t sender;		/* of the last one; 0: the kernel */
	int64_t taken_ns;	/* when that was */
};

int signals_open(struct signals *s, struct vbm_error *err);

/*
 * Whether a signal has come; s->caught says which. Does not wait. What one process
 * sends within a second is one signal.
 */
bool signals_take(struct signals *s);

/*
 * To be called last. Signals do again what they did before, and when one was
 * taken, this process dies of it, so that a shell or make sees that.
 */
void signals_close(struct signals *s);

#endif
