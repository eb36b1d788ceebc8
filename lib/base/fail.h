/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_FAIL_H
#define VBM_LIB_BASE_FAIL_H

#include <errno.h>
#include <stdbool.h>

#include <verbatim/error.h>

/*
 * Whether @error says that memory or descriptors ran out. The caller then does not know
 * the answer. Any other error means that the object of the call does not exist.
 */
static inline bool is_shortage(int error)
{
	return error == ENOMEM || error == EMFILE || error == ENFILE || error == ENOBUFS;
}

/* After a failed call: a negative errno if memory or descriptors ran out, else 0. */
static inline int shortage_of_call(void)
{
	return is_shortage(errno) ? -errno : 0;
}

/*
 * Fill @err (may be NULL), count the failure, tell the function of vbm_set_log(), and
 * return -@code, for "return vbm_fail(...)".
 */
int vbm_fail(struct vbm_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The same, but neither count nor tell: nothing has come yet in the time of a wait, or
 * the message says more about a failure that vbm_fail() has told already.
 */
int vbm_note(struct vbm_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "CONTEXT: " before the message in @err and return -err->code. */
int vbm_wrap(struct vbm_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The errno value for @code of rdma_getaddrinfo(3), for calls that can return nothing
 * else. For EAI_SYSTEM it is @error.
 */
int vbm_gai_errno(int code, int error);

/* For calls that return -1 with errno: set errno to @error, return -1. */
static inline int vbm_refuse(int error)
{
	errno = error;
	return -1;
}

#endif
