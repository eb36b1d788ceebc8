/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_PLAN_KERNELS_H
#define VBM_RUN_PLAN_KERNELS_H

struct plan;

/*
 * The kernels for hosts a and b that all variants of the plan want by "fabric: {kernel: ...}", in the words of
 * --kernel: "a=6.12,b=7.3". The caller frees it. NULL: the plan is empty, one of them wants none, or they want
 * different ones. Pure.
 */
char *plan_kernels(const struct plan *plan);

#endif
