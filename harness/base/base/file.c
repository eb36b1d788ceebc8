/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/*
 * stat(2) gives a file of sysfs the size of a page of memory, however few bytes the file has. A
 * page of memory has at most this many bytes, so a larger size is that of another kind of file.
 */
#define SYSFS_SIZE_MAX 65536

int file_private_dir(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (lstat(path, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022)
		return -EPERM;
	return access(path, W_OK) < 0 ? -errno : 0;
}

int file_make_dirs(const char *path, struct vbm_error *err)
{
	auto_free char *copy = xstrdup(path);
	char *p = copy;

	do {
		p = strchr(p + 1, '/');
		if (p)
			*p = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			return vbm_fail(err, errno, "cannot make the folder %s: %m", copy);
		if (p)
			*p = '/';
	} while (p);
	return 0;
}

/* @at -1: read from the present position of @fd. */
static ssize_t read_some(int fd, char *buf, size_t n, off_t at)
{
	ssize_t got;

	do {
		got = at < 0 ? read(fd, buf, n) : pread(fd, buf, n, at);
	} while (got < 0 && errno == EINTR);
	return got;
}

/*
 * Of a file that is too long, only one byte more than @max is read. The size does not tell:
 * files of /proc have none, and those of sysfs a page.
 */
static int read_all(int fd, bool whole, size_t max, char **data, size_t *len)
{
	size_t used = 0, size = 4096;
	auto_free char *buf = NULL;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) == 0 && st.st_size > 0 && (size_t)st.st_size <= max)
		size = (size_t)st.st_size + 2;
	buf = xreallocarray(NULL, size, 1);
	for (;;) {
		if (used + 1 >= size)
			buf = xreallocarray(buf, size *= 2, 1);
		n = read_some(fd, buf + used, size - used - 1, whole ? (off_t)used : -1);
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		used += (size_t)n;
		if (used > max)
			return -EFBIG;
	}
	buf[used] = '\0';
	if (len)
		*len = used;
	*data = steal(&buf);
	return 0;
}

int file_fd_read_rest(int fd, size_t max, char **data, size_t *len)
{
	return read_all(fd, false, max, data, len);
}

int file_fd_read_whole(int fd, size_t max, char **data, size_t *len)
{
	return read_all(fd, true, max, data, len);
}

int file_open(const char *path, struct vbm_error *err)
{
	/* Non-blocking, because a FIFO or a device must not hang the program. */
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return vbm_fail(err, EISDIR, "%s: %s", path, strerror(EISDIR));
	if (!S_ISREG(st.st_mode))
		return vbm_fail(err, EINVAL, "%s: not a regular file", path);
	return steal_fd(&fd);
}

/* Whether the size alone tells that a file is too long to be read. */
static bool is_huge(int fd, size_t max)
{
	struct stat st;

	return max >= SYSFS_SIZE_MAX && fstat(fd, &st) == 0 && (size_t)st.st_size > max;
}

int file_read_max(const char *path, size_t max, char **data, size_t *len, struct vbm_error *err)
{
	auto_close int fd = file_open(path, err);
	int ret;

	if (fd < 0)
		return fd;
	ret = is_huge(fd, max) ? -EFBIG : file_fd_read_rest(fd, max, data, len);
	if (ret == -EFBIG)
		return vbm_fail(err, EFBIG, "%s: larger than %zu bytes", path, max);
	return ret < 0 ? vbm_fail(err, -ret, "%s: %s", path, strerror(-ret)) : 0;
}

int file_read(const char *path, char **data, size_t *len, struct vbm_error *err)
{
	struct vbm_error why = {0};
	int ret = file_read_max(path, FILE_MAX, data, len, &why);

	return ret < 0 ? vbm_fail(err, why.code, "cannot read %s", why.msg) : 0;
}

int file_write(int fd, const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len > 0) {
		n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_fd_copy(int in, size_t max, int out)
{
	char buf[64 << 10];
	size_t total = 0;
	ssize_t n;
	int ret;

	while ((n = read_some(in, buf, sizeof(buf), -1)) > 0) {
		total += (size_t)n;
		if (total > max)
			return -EFBIG;
		ret = file_write(out, buf, (size_t)n);
		if (ret < 0)
			return ret;
	}
	return n < 0 ? -errno : 0;
}

int file_replace(const char *path, const char *text, struct vbm_error *err)
{
	auto_free char *tmp = xasprintf("%s.XXXXXX", path);
	auto_close int fd = mkostemp(tmp, O_CLOEXEC);
	int ret;

	if (fd < 0)
		return vbm_fail(err, errno, "cannot write %s: %m", path);
	ret = file_write(fd, text, strlen(text));
	if (!ret && (fchmod(fd, 0644) < 0 || rename(tmp, path) < 0))
		ret = -errno;
	if (ret) {
		unlink(tmp);
		return vbm_fail(err, -ret, "cannot write %s: %s", path, strerror(-ret));
	}
	return 0;
}

char *file_next_line(char **pos)
{
	char *line = *pos, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*pos = end ? end + 1 : line + strlen(line);
	return line;
}

int file_hold_folder(int fd, const char *dir, struct vbm_error *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	return vbm_fail(err, EBUSY, "another run writes to the folder %s; wait for its end, or name another folder: --output DIR",
			dir);
}

char *file_kernel_word(const char *name)
{
	auto_free char *line = NULL;
	char *word, *save = NULL;
	size_t n = strlen(name);

	if (file_read("/proc/cmdline", &line, NULL, NULL) < 0)
		return NULL;
	for (word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
		if (!strncmp(word, name, n) && (word[n] == '=' || !word[n]))
			return xstrdup(word + n + (word[n] == '='));
	return NULL;
}
