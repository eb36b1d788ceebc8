/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_VERSION_H
#define VERBATIM_VERSION_H

#include <verbatim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order:
 *	vbm_version()		at any time, to compare with VBM_VERSION
 */

/*
 * The version of these headers. Versions compare as numbers: 0.1.0 is 0x000100.
 *
 * A program runs with any library of the same soname that is not older than its headers.
 * Structures of options begin with their size, and may get members at their end; the
 * functions that end in _init set size and defaults. All other structures stay as they are,
 * but for vbm_qp and vbm_endpoint, which only the library makes, and which may get members
 * at their end.
 */
#define VBM_VERSION_MAJOR 0
#define VBM_VERSION_MINOR 1
#define VBM_VERSION_PATCH 0
#define VBM_VERSION (VBM_VERSION_MAJOR << 16 | VBM_VERSION_MINOR << 8 | VBM_VERSION_PATCH)

/* The version of the library that the program runs with. */
VBM_API unsigned int vbm_version(void);

#ifdef __cplusplus
}
#endif
#endif
