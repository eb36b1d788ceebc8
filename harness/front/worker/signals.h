/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WORKER_SIGNALS_H
#define VBM_WORKER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

/*
 * SIGINT, SIGTERM and SIGHUP of a front end. From signals_open() on they do not end the
 * process. They make @fd readable, so that the front end first ends its places and
 * finishes the report. A signal that this process inherited as ignored (nohup) stays
 * ignored.
 */
struct signals {
	int fd;			/* owned */
	sigset_t old_mask;
	int caught;		/* the first signal that was taken, or 0 */
	pid_t sender;		/* of the last one; 0: the kernel */
	int64_t taken_ns;	/* when that was */
};

int signals_open(struct signals *s, struct vbm_error *err);

/*
 * Whether a signal has come; s->caught says which. Does not wait. Signals
 * within a second count as one, unless all are from a terminal.
 */
bool signals_take(struct signals *s);

/*
 * Call this last. It restores the actions of the signals. If a signal was taken, this
 * process then dies of it, so that a shell or make sees that.
 */
void signals_close(struct signals *s);

#endif
