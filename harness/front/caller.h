/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_CALLER_H
#define VBM_FRONT_CALLER_H

struct value;

/*
 * Members of a job whose programs get what the caller has: its environment ("env",
 * "env_bytes") and its current folder ("cwd").
 */
void caller_describe(struct value *job);

/*
 * The same for programs that somebody else may have written: of the environment only
 * PATH, language, terminal and time zone, and what @names says, a list up to a
 * NULL, or NULL; a home in the guest; and @more, "NAME=VALUE" up to a NULL, or NULL.
 */
void caller_describe_named(struct value *job, const char *const *names, const char *const *more);

#endif
