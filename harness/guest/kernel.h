/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_KERNEL_H
#define VBM_GUEST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * Guest kernels. scripts/fetch-kernel unpacks each release into a folder of the
 * store: vmlinuz, lib/modules/RELEASE/, and meta.
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

/* The store's path; the caller frees it. */
char *kernel_store(void);
void kernel_store_list(struct kernel_list *out);

/*
 * @name: NULL (the default: what kernel_set_default() set, else the newest), a
 * version prefix ("6.1"), a suite, "running", or a path to a bzImage. Fails with
 * -ENOENT, and a text that says what to do.
 */
int kernel_find(struct kernel *out, const char *name, struct vbm_error *err);

/* NULL where no default is set; the caller frees it. */
char *kernel_default(void);
int kernel_set_default(const char *name, struct vbm_error *err);

/* Pure: numbers in a release compare as numbers; a prefix ends at a number's end. */
int kernel_compare(const char *a, const char *b);
bool kernel_name_matches(const char *name, const char *release, const char *suite);

/*
 * kernel-image.c: what to give to QEMU as this kernel. That is the boot image's
 * own kernel, unpacked here and kept in the store, because a guest needs a
 * second or two to unpack it where processors are emulated; or the boot image
 * itself where it cannot be unpacked. Caller frees.
 */
char *vmlinux_path(const struct kernel *kernel);

/* The release that the boot image @data says it is; the caller frees it. */
int kernel_image_release(const char *data, size_t len, char **release,
			 struct vbm_error *err);

/* The packed kernel in a boot image. */
struct bzimage_payload {
	const char *data;	/* borrowed from the image */
	size_t len;
	size_t unpacked_len;	/* as the boot image says */
	const char *tool;	/* "xz": unpacks standard input with -dc */
	const char *suffix;	/* ".xz" */
};

/* False when there is none of a known kind. */
bool bzimage_find_payload(const char *image, size_t len, struct bzimage_payload *out);

/* Whether this ELF kernel says where it is to be entered (PVH). */
bool vmlinux_has_entry(const char *elf, size_t len);

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
