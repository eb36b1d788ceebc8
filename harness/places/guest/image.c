/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/image.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cache.h"
#include "base/cleanup.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "guest/kernel.h"
#include "lib/base/fail.h"

#define IMAGES_KEPT 8
#define STALE_SECONDS 3600

static void auto_cpio_fn(struct cpio *c)
{
	cpio_fini(c);
}
#define auto_cpio __attribute__((cleanup(auto_cpio_fn)))

static int add_entry(struct cpio *c, const struct contents_entry *e, struct vbm_error *err)
{
	auto_free char *data = NULL;
	unsigned int mode = 0755;
	struct stat st;
	size_t len = 0;
	int ret = 0;

	switch (e->kind) {
	case CONTENT_TEXT:
		cpio_add_text(c, e->path, e->source);
		return 0;
	case CONTENT_SYMLINK:
		cpio_add_symlink(c, e->path, e->source);
		return 0;
	case CONTENT_FILE:
		if (stat(e->source, &st) == 0)
			mode = st.st_mode & 07777;
		ret = file_read(e->source, &data, &len, err);
		break;
	case CONTENT_PROGRAM:
		ret = slim_program(e->source, &data, &len, err);
		break;
	case CONTENT_MODULE:
		ret = slim_module(e->source, false, &data, &len, err);
		break;
	case CONTENT_SIGNED_MODULE:
		ret = slim_module(e->source, true, &data, &len, err);
		break;
	}
	if (ret == 0)
		cpio_add(c, e->path, S_IFREG | mode, data, len);
	return ret;
}

static int build_archive(const struct contents *contents, struct cpio *c, struct vbm_error *err)
{
	static const char *const folders[] = {"/dev", "/proc", "/sys", "/run", "/tmp", "/root"};
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(folders); i++)
		cpio_add_folder(c, folders[i]);
	for (i = 0; i < contents->count; i++) {
		ret = add_entry(c, &contents->entry[i], err);
		if (ret < 0)
			return ret;
	}
	cpio_finish(c);
	return 0;
}

/*
 * Puts the image into the cache, under a name that ends with its digest; returns a
 * descriptor, or -1.
 */
static int store_image(const struct cpio *c, const char *dir, const char *begin)
{
	auto_free char *tmp = xasprintf("%s/.new.XXXXXX", dir), *path = NULL;
	auto_close int fd = file_make_dirs(dir, NULL) < 0 ? -1 : mkostemp(tmp, O_CLOEXEC);

	if (fd < 0)
		return -1;
	path = xasprintf("%s/%s%016" PRIx64, dir, begin, digest_of(c->data, c->len));
	if (file_write(fd, c->data, c->len) == 0 && rename(tmp, path) == 0)
		return steal_fd(&fd);
	unlink(tmp);
	return -1;
}

/* Keeps the image in memory for this run, if the cache cannot be written. */
static int hold(const struct cpio *c, struct vbm_error *err)
{
	auto_close int fd = memfd_create("verbatim-image", MFD_CLOEXEC);
	int ret = fd < 0 ? -errno : file_write(fd, c->data, c->len);

	return ret < 0 ? vbm_fail(err, -ret, "cannot write the guest's image: %s",
				  strerror(-ret)) : steal_fd(&fd);
}

static int build_file(const struct contents *contents, const char *dir, const char *begin,
		      struct vbm_error *err)
{
	auto_cpio struct cpio c = {0};
	int fd, ret = build_archive(contents, &c, err);

	if (ret < 0)
		return ret;
	fd = store_image(&c, dir, begin);
	return fd >= 0 ? fd : hold(&c, err);
}

struct image {
	char *name;
	time_t when;
};

static int newest_first(const void *a, const void *b)
{
	const struct image *x = a, *y = b;

	return (x->when < y->when) - (x->when > y->when);
}

/* A run holds its image open, so any image may be unlinked. */
static void prune(const char *dir, void *arg)
{
	auto_dir DIR *d = opendir(dir);
	struct image *all = NULL;
	const struct dirent *e;
	size_t count = 0, i;
	struct stat st;

	(void)arg;
	while (d && (e = readdir(d))) {
		if (fstatat(dirfd(d), e->d_name, &st, 0) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (e->d_name[0] == '.') {
			if (st.st_mtime + STALE_SECONDS < time(NULL))
				unlinkat(dirfd(d), e->d_name, 0);
			continue;
		}
		GROW(all, count);
		all[count++] = (struct image){xstrdup(e->d_name), st.st_mtime};
	}
	if (count)
		qsort(all, count, sizeof(all[0]), newest_first);
	for (i = 0; i < count; i++) {
		if (i >= IMAGES_KEPT)
			unlinkat(dirfd(d), all[i].name, 0);
		free(all[i].name);
	}
	free(all);
}

/* Opens the image, or removes it if it is damaged; returns a descriptor, or -1. */
static int open_whole(int dir, const char *name, const char *digest)
{
	auto_close int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	auto_free char *has = NULL;
	uint64_t n = 0;
	off_t size;

	if (fd < 0 || digest_of_fd(fd, &n, &size) < 0)
		return -1;
	has = xasprintf("%016" PRIx64, n);
	if (strcmp(has, digest) != 0) {
		unlinkat(dir, name, 0);
		return -1;
	}
	utimensat(dir, name, NULL, 0);
	return steal_fd(&fd);
}

static int open_kept(const char *dir, const char *begin)
{
	auto_dir DIR *d = opendir(dir);
	size_t n = strlen(begin);
	const struct dirent *e;
	int fd = -1;

	while (d && fd < 0 && (e = readdir(d)))
		if (!strncmp(e->d_name, begin, n))
			fd = open_whole(dirfd(d), e->d_name, e->d_name + n);
	return fd;
}

static int open_base(const struct kernel *kernel, const struct device_words *devices,
		     enum guest_files seen, struct vbm_error *err)
{
	auto_contents struct contents contents = {0};
	auto_free char *dir = cache_path(IMAGES_FOLDER), *begin = NULL;
	int fd, ret;

	ret = contents_base(&contents, kernel, devices, seen, err);
	if (ret < 0)
		return ret;
	begin = xasprintf("%s-%016" PRIx64 ".", kernel->release, contents_hash(&contents));
	fd = open_kept(dir, begin);
	if (fd >= 0)
		return fd;
	fd = build_file(&contents, dir, begin, err);
	cache_scratch_each(IMAGES_FOLDER, prune, NULL);
	return fd;
}

/* The kernel unpacks several archives one after another, so appending is enough. */
static int append_archive(int base, const struct cpio *more, struct vbm_error *err)
{
	auto_close int fd = memfd_create("verbatim-image", MFD_CLOEXEC);
	struct stat st;
	off_t at = 0;
	int ret = 0;

	if (fd < 0 || fstat(base, &st) < 0)
		return vbm_fail(err, errno, "cannot put files into the guest: %m");
	while (at < st.st_size)
		if (sendfile(fd, base, &at, (size_t)(st.st_size - at)) <= 0)
			return vbm_fail(err, EIO, "cannot copy the guest image");
	ret = file_write(fd, more->data, more->len);
	if (ret < 0)
		return vbm_fail(err, -ret, "cannot put files into the guest: %s", strerror(-ret));
	return steal_fd(&fd);
}

int image_open(const struct kernel *kernel, const struct device_words *devices,
	       enum guest_files seen, const char *const *files, struct vbm_error *err)
{
	auto_contents struct contents contents = {0};
	auto_cpio struct cpio more = {0};
	auto_close int base = open_base(kernel, devices, seen, err);
	int ret;

	if (base < 0 || !files || !*files || seen == GUEST_FILES_ALL)
		return steal_fd(&base);
	ret = contents_files(&contents, files, err);
	if (ret == 0)
		ret = build_archive(&contents, &more, err);
	return ret < 0 ? ret : append_archive(base, &more, err);
}
