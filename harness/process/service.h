/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_SERVICE_H
#define VBM_PROCESS_SERVICE_H

#include <sys/types.h>

#include <verbatim/error.h>

/*
 * The name server and the path service of a scenario's hosts are children that
 * call no exec, and keep a log in memory, which steps read.
 */

/* child_begin() for such a child; @keep stays open besides the standard three. */
void service_begin(const char *name, pid_t parent, const int *keep, size_t count);

/* An empty log, to be appended to; a descriptor the caller owns. */
int service_log(const char *name, struct vbm_error *err);

/* All of a log, which the caller frees; NULL with @err. @whose: for the message. */
char *service_log_read(int fd, const char *whose, struct vbm_error *err);
int service_log_clear(int fd, const char *whose, struct vbm_error *err);

#endif
