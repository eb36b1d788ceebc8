/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_CPIO_H
#define VBM_GUEST_CPIO_H

#include <stddef.h>

/*
 * A cpio archive in memory, in the "newc" format the kernel unpacks as its
 * first root. Folders above an entry are added by themselves; a path that is
 * there already is not added twice.
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
