/* SPDX-License-Identifier: BSD-2-Clause */
#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int vbm_fail(struct vbm_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		err->code = code;
		va_start(ap, fmt);
		vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
		va_end(ap);
	}
	return -code;
}

int vbm_wrap(struct vbm_error *err, const char *fmt, ...)
{
	struct vbm_error inner;
	va_list ap;
	size_t room;
	int n;

	if (!err)
		return -EIO;
	inner = *err;
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	room = n >= 0 && (size_t)n < sizeof(err->msg) ? sizeof(err->msg) - (size_t)n : 0;
	if (room > 3) {
		memcpy(err->msg + n, ": ", 2);
		inner.msg[room - 3] = '\0';
		memcpy(err->msg + n + 2, inner.msg, strlen(inner.msg) + 1);
	}
	return -err->code;
}
