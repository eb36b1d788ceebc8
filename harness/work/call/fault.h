/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_FAULT_H
#define VBM_CALL_FAULT_H

#include <stdbool.h>

#include <verbatim/error.h>

/*
 * Faults that the kernel injects into the system calls of one thread: the N-th time that
 * they allocate memory, or copy from or to the process, fails. Work that the kernel does
 * elsewhere for the same call is not hit.
 */
struct fault {
	int fd;		/* owned; /proc/thread-self/fail-nth */
};

/* Also faults in allocations that may wait are switched on. -ENOTSUP: this kernel injects none. */
int fault_open(struct fault *f, struct vbm_error *err);
void fault_close(struct fault *f);

/* From now on, the @nth fault point fails. */
int fault_arm(const struct fault *f, int nth, struct vbm_error *err);

/* From now on, no point fails. Returns whether one has failed since fault_arm(). */
bool fault_disarm(const struct fault *f);

#endif
