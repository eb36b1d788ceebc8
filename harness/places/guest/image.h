/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_IMAGE_H
#define VBM_GUEST_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "guest/share.h"

struct device_words;
struct kernel;
struct string_list;

/*
 * Opens the first root file system of a guest for reading. It comes from the cache if
 * that has an image with the same contents, else it is built. @files (ends with NULL, or
 * is NULL) are files of this machine for this run only.
 */
int image_open(const struct kernel *kernel, const struct device_words *devices,
	       enum guest_files seen, const char *const *files, struct vbm_error *err);

/* The folder of images and of their temporary files, in the cache or in scratch space. */
#define IMAGES_FOLDER "images"

/* The rest is for the files that make images: contents.c lists the contents. */
enum contents_kind {
	CONTENT_FILE,		/* copied */
	CONTENT_PROGRAM,	/* copied without its debug information */
	CONTENT_MODULE,		/* unpacked */
	CONTENT_SIGNED_MODULE,	/* unpacked; its kernel may require the signature */
	CONTENT_TEXT,		/* @source is the content */
	CONTENT_SYMLINK,	/* @source is what it points to */
};

struct contents_entry {
	enum contents_kind kind;
	char *path;	/* owned; in the guest */
	char *source;	/* owned */
};

struct contents {
	struct contents_entry *entry;	/* owned */
	size_t count;
};

/*
 * All that a guest needs: this program as /init, its shared libraries, the providers and the modules for devices of
 * all types, a few files of /etc. Only those of @devices have to be there.
 */
int contents_base(struct contents *contents, const struct kernel *kernel,
		  const struct device_words *devices, enum guest_files seen, struct vbm_error *err);

/*
 * Adds files of this machine at their own paths, and with each program the libraries that
 * it needs.
 */
int contents_files(struct contents *contents, const char *const *files, struct vbm_error *err);

/* Equal for two lists that make the same image: names, sizes, times of change. */
uint64_t contents_hash(const struct contents *contents);

void contents_fini(struct contents *contents);

static inline void auto_contents_fn(struct contents *contents)
{
	contents_fini(contents);
}
#define auto_contents __attribute__((cleanup(auto_contents_fn)))

/*
 * modules.c: adds the files of @names and of all modules that they need, in the order of
 * loading. @dir is a kernel's lib/modules/RELEASE. A name that ends in '?' may be
 * missing. For -ENOENT @err names the first missing module.
 */
int modules_closure(const char *dir, const char *const *names, struct string_list *out,
		    struct vbm_error *err);

/* How long the module @data is without the signature that may follow it. */
size_t module_unsigned_len(const char *data, size_t len);

/* "crc32_generic" for "kernel/crypto/crc32-generic.ko.xz"; caller frees. */
char *module_name(const char *path);

/*
 * slim.c: files without the parts that only cost time in a guest. If objcopy is not
 * installed, they stay unchanged. The caller frees *@data.
 */
int slim_program(const char *path, char **data, size_t *len, struct vbm_error *err);

/*
 * A module, unpacked. Unless @whole is set, it loses its signature and type
 * information: the kernel checks both when it loads the module, and that takes
 * longer than the rest of the loading.
 */
int slim_module(const char *path, bool whole, char **data, size_t *len,
		struct vbm_error *err);

/* The same, only unpacked. */
int slim_module_unpack(const char *path, char **data, size_t *len, struct vbm_error *err);

/*
 * cpio.c: an archive in memory, in the "newc" format that the kernel unpacks as
 * its first root. To add an entry adds the folders above it; a path that is in
 * the archive already is not added again.
 */
struct cpio {
	char *data;		/* owned */
	size_t len, size;
	unsigned int inode;
	char **path;		/* owned; what is in it */
	size_t count;
};

/* @path may begin with '/'. @mode includes the type (S_IFREG | 0755). */
void cpio_add(struct cpio *c, const char *path, unsigned int mode,
	      const void *data, size_t len);
void cpio_add_text(struct cpio *c, const char *path, const char *text);
void cpio_add_folder(struct cpio *c, const char *path);
void cpio_add_symlink(struct cpio *c, const char *path, const char *target);
void cpio_finish(struct cpio *c);
void cpio_fini(struct cpio *c);

#endif
