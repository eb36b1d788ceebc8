/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_MEM_H
#define VBM_LIB_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The library allocates through these calls, so that a test can let the n-th
 * allocation fail. The DNS library and tsearch(3) allocate by themselves. The
 * memory comes from malloc(3), and free(3) releases it.
 */
void *vbm_mem_alloc(size_t size);
void *vbm_mem_zalloc(size_t size);
void *vbm_mem_resize(void *p, size_t size);
void *vbm_mem_dup(const void *p, size_t size);
char *vbm_mem_strdup(const char *s);

/* @allow is asked before each allocation. NULL (the default) allows all. Only tests call this. */
void vbm_mem_set_filter(bool (*allow)(void));

#endif
