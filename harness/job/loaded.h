/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_LOADED_H
#define VBM_JOB_LOADED_H

#include <stdbool.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct emitter;
struct value;

/*
 * Which files of rdma-core are at work, where a job names them: a library that
 * the dynamic linker passed over would be measured under another one's name.
 */

/*
 * 0 when this process has the librdmacm at @file, -ELIBBAD otherwise; from then
 * on loaded_tell() tells. NULL: whatever it has.
 */
int loaded_expect(const char *file, struct vbm_error *err);

/* Emit what the process @pid has mapped of it and nobody had before. */
void loaded_tell(pid_t pid, struct emitter *emit);

/*
 * Pure: the files of rdma-core in a text of /proc/PID/maps, each once, without
 * those of the list @known (may be NULL). The caller frees the list.
 */
struct value *loaded_files(char *maps, const struct value *known);

#endif
