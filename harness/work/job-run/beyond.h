/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_BEYOND_H
#define VBM_JOB_RUN_BEYOND_H

struct fabric;
struct variant;

/*
 * Why the variant cannot run on machines, on which nothing is configured, and which are changed only if the
 * run may do so; the caller frees it. NULL: it can.
 */
char *beyond_machines(const struct fabric *machines, const struct variant *v);

#endif
