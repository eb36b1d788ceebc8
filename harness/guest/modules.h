/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_MODULES_H
#define VBM_GUEST_MODULES_H

#include <stddef.h>

#include <verbatim/error.h>

struct string_list;

/*
 * Add the files of the modules that have to be loaded, in that order, so that
 * @names are there; @dir is a kernel's lib/modules/RELEASE. A name that ends in
 * '?' may be missing. -ENOENT names the first module the kernel does not have.
 */
int modules_closure(const char *dir, const char *const *names, struct string_list *out,
		    struct vbm_error *err);

/* How long the module @data is without the signature that may follow it. */
size_t module_unsigned_len(const char *data, size_t len);

/* "crc32_generic" for "kernel/crypto/crc32-generic.ko.xz"; caller frees. */
char *module_name(const char *path);

#endif
