/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_KERNEL_H
#define VBM_GUEST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * Guest kernels. The store is a folder for each release that
 * scripts/fetch-kernel unpacked (vmlinuz, lib/modules/RELEASE/, meta).
 */
struct kernel {
	char *release;	/* owned; "6.1.0-50-amd64" */
	char *suite;	/* owned; "" when it is not from the store */
	char *image;	/* owned; path of the bzImage */
	char *root;	/* owned; has lib/modules/RELEASE below it */
};

struct kernel_list {
	struct kernel *item;	/* owned; newest first */
	size_t count;
};

void kernel_fini(struct kernel *k);
void kernel_list_fini(struct kernel_list *list);

char *kernel_store(void);
void kernel_store_list(struct kernel_list *out);

/*
 * @name: NULL (the default: the one that was set, else the newest), a version
 * prefix ("6.1"), a suite, "running", or a path to a bzImage. Fails with
 * -ENOENT, and a text that says what to do.
 */
int kernel_find(struct kernel *out, const char *name, struct vbm_error *err);

/* NULL where none is set; the caller frees it. */
char *kernel_default(void);
int kernel_set_default(const char *name, struct vbm_error *err);

/* Pure: numbers in a release compare as numbers; a prefix ends at a number's end. */
int kernel_compare(const char *a, const char *b);
bool kernel_name_matches(const char *name, const char *release, const char *suite);

/* The release that the boot image @data says it is; the caller frees it. */
int kernel_image_release(const char *data, size_t len, char **release,
			 struct vbm_error *err);

static inline void auto_kernel_fn(struct kernel *k)
{
	kernel_fini(k);
}
#define auto_kernel __attribute__((cleanup(auto_kernel_fn)))

static inline void auto_kernel_list_fn(struct kernel_list *l)
{
	kernel_list_fini(l);
}
#define auto_kernel_list __attribute__((cleanup(auto_kernel_list_fn)))

#endif
