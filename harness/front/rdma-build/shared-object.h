/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RDMA_BUILD_SHARED_OBJECT_H
#define VBM_RDMA_BUILD_SHARED_OBJECT_H

#include <verbatim/error.h>

/*
 * Whether this program can load the file at @path: 0, or -ENOEXEC if it is no shared object or one for another machine,
 * or the errno of opening it. The dynamic linker would silently skip a file for another machine, and take the system's.
 */
int shared_object_check(const char *path, struct vbm_error *err);

#endif
