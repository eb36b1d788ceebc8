/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_FAULT_H
#define VBM_CALL_FAULT_H

#include <stdbool.h>

#include <verbatim/error.h>

struct step_ctx;
struct value;

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

/* Whether a call that returned this error may have met no memory in the kernel. */
bool fault_is_no_memory(int code);

/*
 * Carries out the step of @ctx. If the step "fail_next" came before it, the kernel fails at a point of the call, which is
 * between call_begins() and the put_...() of its result (step-util.h). A call that fails for that reason is made once more, without a
 * fault. Returns what the step returns, and fills *@result. A step that does not say where its call begins is an error.
 */
int fault_next_run(struct step_ctx *ctx, const struct value *args, struct value **result, struct vbm_error *err);

/* The call of the step begins, or is over: for step-util.c. */
void fault_next_begin(void);
void fault_next_end(void);

#endif
