/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_SERVICE_H
#define VBM_PROCESS_SERVICE_H

#include <sys/types.h>

#include <verbatim/error.h>

/*
 * The name server and the path service of a scenario's hosts are child processes that run
 * this program's code, without exec(2). Each has a log in memory, which steps read.
 */

/*
 * child_begin() for such a child. @keep stays open in addition to the three standard
 * descriptors.
 */
void service_begin(const char *name, pid_t parent, const int *keep, size_t count);

/* Make an empty log, for appending. The caller owns the descriptor. */
int service_log(const char *name, struct vbm_error *err);

/* The contents of a log, which the caller frees; NULL with @err. @whose: for the message. */
char *service_log_read(int fd, const char *whose, struct vbm_error *err);
int service_log_clear(int fd, const char *whose, struct vbm_error *err);

#endif
