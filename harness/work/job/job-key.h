/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_JOB_KEY_H
#define VBM_JOB_JOB_KEY_H

struct value;

/*
 * Returns the key of @job (event/stream.h), or NULL if it has none, and wipes it from @job.
 * The key is in memory that no child of this process gets, because agents, with the
 * library under test, and programs are its children.
 */
const char *job_key_keep(struct value *job);

#endif
