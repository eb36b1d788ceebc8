/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_LOADED_H
#define VBM_JOB_LOADED_H

#include <stdbool.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct emitter;
struct value;

/*
 * If a job names files of rdma-core, checks which files processes really use. Else, if
 * the dynamic linker skipped a library, another one would be measured under its name.
 */

/*
 * Returns 0 if this process has loaded the librdmacm at @file, else -ELIBBAD; from then
 * on loaded_tell() emits events. If @file is NULL, any librdmacm is right.
 */
int loaded_expect(const char *file, struct vbm_error *err);

/*
 * Emits the files of rdma-core that the process @pid has mapped and that no event had
 * before.
 */
void loaded_tell(pid_t pid, struct emitter *emit);

/*
 * Returns the files of rdma-core in a text of /proc/PID/maps, each once, without those of
 * the list @known (may be NULL). The caller frees the list. Pure.
 */
struct value *loaded_files(char *maps, const struct value *known);

#endif
