/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_FAIL_H
#define VBM_LIB_FAIL_H

#include <errno.h>

#include <verbatim/error.h>

/* Fill @err (may be NULL) and return -@code, for "return vbm_fail(...)". */
int vbm_fail(struct vbm_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "CONTEXT: " before the message in @err and return -err->code. */
int vbm_wrap(struct vbm_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The other convention: set errno to @error, return -1. */
static inline int vbm_refuse(int error)
{
	errno = error;
	return -1;
}

#endif
