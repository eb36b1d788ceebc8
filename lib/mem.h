/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_MEM_H
#define VBM_LIB_MEM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Every allocation of the library goes through here, so that a test can let the
 * n-th one fail; only the DNS library's own do not. Memory is malloc's: callers
 * may hand it to free(3), and callers of the library may put memory of their own
 * into a result.
 */
void *vbm_mem_alloc(size_t size);
void *vbm_mem_zalloc(size_t size);
void *vbm_mem_resize(void *p, size_t size);
void *vbm_mem_dup(const void *p, size_t size);
char *vbm_mem_strdup(const char *s);

/* Asked before each allocation; NULL (as at start) allows all. Tests only. */
void vbm_mem_set_gate(bool (*allow)(void));

#endif
