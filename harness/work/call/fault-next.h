/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_FAULT_NEXT_H
#define VBM_CALL_FAULT_NEXT_H

#include <stdbool.h>

#include <verbatim/error.h>

struct step_ctx;
struct value;

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
