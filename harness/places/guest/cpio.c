/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

#define TRAILER "TRAILER!!!"

static void append_bytes(struct cpio *c, const void *data, size_t len)
{
	if (c->len + len > c->size) {
		c->size = 2 * (c->len + len);
		c->data = xreallocarray(c->data, c->size, 1);
	}
	if (len)
		memcpy(c->data + c->len, data, len);
	c->len += len;
}

/* In this format each name and each content ends on a multiple of four. */
static void pad(struct cpio *c)
{
	append_bytes(c, "\0\0\0", -c->len & 3);
}

static void put_entry(struct cpio *c, const char *path, unsigned int mode,
		      const void *data, size_t len)
{
	char header[128];
	unsigned int links = S_ISDIR(mode) ? 2 : 1;

	/* magic ino mode uid gid nlink mtime size dev(2) rdev(2) namesize check */
	snprintf(header, sizeof(header),
		 "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", ++c->inode,
		 mode, 0u, 0u, links, 0u, (unsigned int)len, 0u, 0u, 0u, 0u,
		 (unsigned int)strlen(path) + 1, 0u);
	append_bytes(c, header, 110);
	append_bytes(c, path, strlen(path) + 1);
	pad(c);
	append_bytes(c, data, len);
	pad(c);
}

static int is_there(const struct cpio *c, const char *path)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (!strcmp(c->path[i], path))
			return 1;
	return 0;
}

void cpio_add(struct cpio *c, const char *path, unsigned int mode,
	      const void *data, size_t len)
{
	auto_free char *name = NULL;
	const char *slash;

	while (*path == '/')
		path++;
	if (!*path || is_there(c, path))
		return;
	slash = strrchr(path, '/');
	if (slash) {
		name = xstrndup(path, (size_t)(slash - path));
		cpio_add_folder(c, name);
	}
	GROW(c->path, c->count);
	c->path[c->count++] = xstrdup(path);
	put_entry(c, path, mode, data, len);
}

void cpio_add_text(struct cpio *c, const char *path, const char *text)
{
	cpio_add(c, path, S_IFREG | 0644, text, strlen(text));
}

void cpio_add_folder(struct cpio *c, const char *path)
{
	cpio_add(c, path, S_IFDIR | 0755, NULL, 0);
}

void cpio_add_symlink(struct cpio *c, const char *path, const char *target)
{
	cpio_add(c, path, S_IFLNK | 0777, target, strlen(target));
}

void cpio_finish(struct cpio *c)
{
	c->inode = (unsigned int)-1;	/* the trailer's is 0 */
	put_entry(c, TRAILER, 0, NULL, 0);
	/* Another archive may follow, and the kernel expects it at a multiple of 512. */
	while (c->len % 512)
		append_bytes(c, "", 1);
}

void cpio_fini(struct cpio *c)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		free(c->path[i]);
	free(c->path);
	free(c->data);
	memset(c, 0, sizeof(*c));
}
