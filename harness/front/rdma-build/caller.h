/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RDMA_BUILD_CALLER_H
#define VBM_RDMA_BUILD_CALLER_H

struct value;

/*
 * Adds to a job the caller's environment ("env", "env_bytes") and current folder ("cwd"),
 * for its programs.
 */
void caller_describe(struct value *job);

/*
 * The same for programs that somebody else may have written. They get only PATH,
 * language, terminal and time zone of the environment, the variables in @names, a home in
 * the guest, and @more ("NAME=VALUE"). Both lists end with NULL, or are NULL.
 */
void caller_describe_named(struct value *job, const char *const *names, const char *const *more);

/* Adds @variables ("NAME=VALUE", ending with NULL) to the environment in such a job. */
void caller_add(struct value *job, const char *const *variables);

/*
 * Makes the folder of this program the last one of PATH in a job of caller_describe_named(),
 * so that scenarios find the programs that come with it.
 */
void caller_add_own_folder(struct value *job);

#endif
