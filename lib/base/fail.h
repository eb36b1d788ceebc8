/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_FAIL_H
#define VBM_LIB_FAIL_H

#include <errno.h>
#include <stdbool.h>

#include <verbatim/error.h>

/*
 * Whether @error says that memory or descriptors ran out: what was asked is
 * then not known, where other errors say that it is not there.
 */
static inline bool is_shortage(int error)
{
	return error == ENOMEM || error == EMFILE || error == ENFILE || error == ENOBUFS;
}

/* Fill @err (may be NULL) and return -@code, for "return vbm_fail(...)". */
int vbm_fail(struct vbm_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "CONTEXT: " before the message in @err and return -err->code. */
int vbm_wrap(struct vbm_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A code of rdma_getaddrinfo(3), where only an errno value can be returned:
 * @error is that of EAI_SYSTEM.
 */
int vbm_gai_errno(int code, int error);

/* The other convention: set errno to @error, return -1. */
static inline int vbm_refuse(int error)
{
	errno = error;
	return -1;
}

#endif
