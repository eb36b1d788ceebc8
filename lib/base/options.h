/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_OPTIONS_H
#define VBM_LIB_BASE_OPTIONS_H

#include <stddef.h>

#include <verbatim/error.h>

/*
 * Structures of options, of which a program and the library may know different versions.
 * Each begins with a size_t: the size that the program knows. Later versions only append
 * members.
 */

/* Write the first @size bytes of the defaults @all, which has @known bytes. @to may be NULL. */
void vbm_options_give(void *to, size_t size, const void *all, size_t known);

/*
 * Copy the members of @from over the defaults in @to, of which the library knows @known
 * bytes. Members that the program does not know keep their default. @name is that of the
 * structure, without "vbm_". Returns 0; or EINVAL: the size is not set, or a member that
 * the library does not know has a value.
 */
int vbm_options_take(void *to, size_t known, const void *from, const char *name,
		     struct vbm_error *error);

#endif
