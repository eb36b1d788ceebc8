/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_KERNEL_H
#define VBM_GUEST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct string_list;

/*
 * Kernels, each release in a folder of the store of its kind, with a file "meta" that
 * describes it. scripts/fetch-kernel makes those for guests (vmlinuz,
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
	char *suite;	/* owned; "" if it does not come from a Debian suite */
	char *image;	/* owned; path of the bzImage or of the program */
	char *root;	/* owned; has lib/modules/RELEASE below it */
	char *variant;	/* owned; "", or "debug", or "coverage" */
	char *label;	/* owned; the name of the tree it was built from, or "" */
	char *from;	/* owned; what it was made from: a package, a tree or a file, or "" */
	int hz;		/* its ticks a second, 0 if unknown */
	bool virtual_time;	/* its clock can jump over the time in which nothing happens */
	bool in_store;	/* or in a package, whose files are checked in the same way */
	bool packaged;	/* a package of the system has it; nobody changes it here */
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

/*
 * The kernels of the store and, for lane uml, those that a package of the system has put
 * beside the private files of the program (kernels-uml/RELEASE/). A kernel of the store hides
 * one of a package with the same release.
 */
void kernel_store_list(struct kernel_list *out, enum kernel_kind kind);

/*
 * Finds a kernel of this kind. @name is NULL (the default: the kernel of
 * kernel_set_default(), else the newest plain one), a version prefix ("6.1"), a suite,
 * "running", a path to a bzImage or to a kernel that is a program, or, for such programs,
 * a label, a variant, or LABEL-VARIANT. A whole release means exactly that kernel. A
 * label means the last build, because a tree that is bisected goes back and forth between
 * releases. Fails with -ENOENT, and a text that says what to do.
 */
int kernel_find(struct kernel *out, enum kernel_kind kind, const char *name,
		struct vbm_error *err);

/* Whether this release is in the store itself. */
bool kernel_in_store(struct kernel *out, enum kernel_kind kind, const char *release);

int kernel_set_default(const char *name, struct vbm_error *err);

/*
 * kernel-check.c: whether the files of a kernel in the store are unchanged. If not, the
 * error names the file, and the command that mends it.
 */
#define KERNEL_DAMAGED EUCLEAN	/* the error then */
int kernel_check(const struct kernel *k, struct vbm_error *err);
int kernel_check_modules(const struct kernel *k, const struct string_list *paths,
			 struct vbm_error *err);
/* -EOPNOTSUPP: the kernel of a guest has no netem, which faults of the cables need. */
#define KERNEL_NETEM "sch_netem"
int kernel_check_netem(const struct kernel *k, struct vbm_error *err);
int kernel_check_lists(const struct kernel *k, struct vbm_error *err);
int kernel_is_damaged(const struct kernel *k, const char *why, struct vbm_error *err);

/* Removes the kernel from the store. */
int kernel_remove(const struct kernel *k, struct vbm_error *err);

/* Compares releases, numbers as numbers; a prefix ends at the end of a number. Pure. */
int kernel_compare(const char *a, const char *b);
bool kernel_name_matches(const char *name, const struct kernel *k);

/*
 * kernel-image.c: the path of the file that QEMU boots. It is the kernel of the boot
 * image, unpacked here and kept in the store, because a guest with emulated processors
 * needs a second or two to unpack it; or the boot image itself if it cannot be unpacked.
 * The caller frees it.
 */
char *kernel_vmlinux_path(const struct kernel *kernel);

/* The release in the boot image @data; the caller frees it. */
int kernel_image_release(const char *data, size_t len, char **release,
			 struct vbm_error *err);

/* The packed kernel in a boot image. */
struct bzimage_payload {
	const char *data;	/* borrowed from the image */
	size_t len;
	size_t unpacked_len;	/* from the boot image */
	const char *tool;	/* "xz": unpacks standard input with -dc */
	const char *suffix;	/* ".xz" */
};

/* Whether the boot image is as long as its head says. Pure. */
int kernel_bzimage_check(const char *image, size_t len, struct vbm_error *err);

/* Returns false if the image has no packed kernel of a known kind. */
bool kernel_bzimage_find_payload(const char *image, size_t len, struct bzimage_payload *out);

/* Whether this ELF kernel has a PVH entry. */
bool kernel_vmlinux_has_entry(const char *elf, size_t len);

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
