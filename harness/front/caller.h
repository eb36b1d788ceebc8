/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_CALLER_H
#define VBM_FRONT_CALLER_H

struct value;

/*
 * Members of a job whose programs get what the caller has: "env" and "env_bytes"
 * (its environment, and over it @more, "NAME=VALUE" up to a NULL, or NULL) and "cwd".
 */
void caller_describe(struct value *job, const char *const *more);

#endif
