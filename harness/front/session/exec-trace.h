/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_TRACE_H
#define VBM_SESSION_EXEC_TRACE_H

#include <verbatim/error.h>

struct value;

/*
 * The shared object of --trace @what, by its path; the caller frees. NULL with @err: there is
 * no such trace, or the object is missing, or its path is one that LD_PRELOAD cannot have.
 */
char *exec_trace_find(const char *what, struct vbm_error *err);

/* Puts the object in front of the LD_PRELOAD of the commands of @job. */
void exec_trace_put(struct value *job, const char *path);

#endif
