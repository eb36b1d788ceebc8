/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_FDS_H
#define VBM_BASE_FDS_H

#include <stddef.h>

/*
 * Close every descriptor above the standard three but those of @keep, of which
 * negative ones stand for none. For a process just forked: what it would hold
 * open by accident, others would wait for.
 */
void fds_close_others(const int *keep, size_t count);

#endif
