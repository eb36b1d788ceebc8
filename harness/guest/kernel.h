/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_KERNEL_H
#define VBM_GUEST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct string_list;

/*
 * Kernels, each release in a folder of the store of its kind, with a file "meta"
 * that says what it is. scripts/fetch-kernel makes those of guests (vmlinuz,
 * lib/modules/RELEASE/), scripts/build-kernel those that are programs (linux).
 */
enum kernel_kind {
	KERNEL_GUEST,	/* QEMU boots it */
	KERNEL_UML,	/* a program: user-mode Linux */
	KERNEL_KINDS
};

struct kernel {
	enum kernel_kind kind;
	char *release;	/* owned; "6.1.0-50-amd64" */
	char *suite;	/* owned; "" when it is not a Debian suite's */
	char *image;	/* owned; path of the bzImage or of the program */
	char *root;	/* owned; has lib/modules/RELEASE below it */
	char *variant;	/* owned; "", or "debug", or "coverage" */
	char *label;	/* owned; the name of the tree it was built from, or "" */
	char *from;	/* owned; what it was made from: a package, a tree or a file, or "" */
	int hz;		/* its ticks a second, 0 when that is not known */
	bool virtual_time;	/* its clock can jump over the time in which nothing happens */
	bool in_store;
	long long stored;	/* when it came into the store, in nanoseconds, or 0 */
};

struct kernel_list {
	struct kernel *item;	/* owned; newest first, those of trees by when they came */
	size_t count;
};

void kernel_fini(struct kernel *k);
void kernel_list_fini(struct kernel_list *list);

/* The path of a kind's store; the caller frees it. */
char *kernel_store(enum kernel_kind kind);
void kernel_store_list(struct kernel_list *out, enum kernel_kind kind);

/*
 * A kernel of this kind. @name: NULL (the default: what kernel_set_default() set,
 * else the newest plain one), a version prefix ("6.1"), a suite, "running", a
 * path to a bzImage or to a kernel that is a program, or, of these programs, a
 * label, a variant, or LABEL-VARIANT. A whole release means this one. A label
 * means what was built last, as a tree that is bisected goes back and forth
 * between releases. Fails with -ENOENT, and a text that says what to do.
 */
int kernel_find(struct kernel *out, enum kernel_kind kind, const char *name,
		struct vbm_error *err);

/* Whether this release is in the store. */
bool kernel_in_store(struct kernel *out, enum kernel_kind kind, const char *release);

/* NULL where no default is set; the caller frees it. */
char *kernel_default(void);
int kernel_set_default(const char *name, struct vbm_error *err);

/*
 * kernel-check.c: whether the files of a kernel in the store are what was put there.
 * Else the error names the file, and the command that mends it.
 */
#define KERNEL_DAMAGED EUCLEAN	/* the error then */
int kernel_check(const struct kernel *k, struct vbm_error *err);
int kernel_check_modules(const struct kernel *k, const struct string_list *paths,
			 struct vbm_error *err);
int kernel_check_lists(const struct kernel *k, struct vbm_error *err);
int kernel_is_damaged(const struct kernel *k, const char *why, struct vbm_error *err);

/* The command that puts it into the store again; the caller frees it. */
char *kernel_mend(const struct kernel *k);

/* Take it out of the store. */
int kernel_remove(const struct kernel *k, struct vbm_error *err);

/* Pure: numbers in a release compare as numbers; a prefix ends at a number's end. */
int kernel_compare(const char *a, const char *b);
bool kernel_name_matches(const char *name, const struct kernel *k);

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

/* Whether the boot image has all that its head says. Pure. */
int bzimage_check(const char *image, size_t len, struct vbm_error *err);

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
