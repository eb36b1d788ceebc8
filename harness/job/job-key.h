/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_JOB_KEY_H
#define VBM_JOB_JOB_KEY_H

struct value;

/*
 * The key that @job brings (event/key.h), or NULL when it has none. It stands where no
 * child of this process has it: agents, which hold the library under test, are
 * children, and programs are theirs. It is wiped from @job.
 */
const char *job_key_keep(struct value *job);

#endif
