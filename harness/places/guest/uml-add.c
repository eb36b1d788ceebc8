/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/uml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "guest/kernel.h"
#include "guest/record.h"
#include "lib/base/fail.h"
#include "process/program.h"

static int too_large(const char *path, struct vbm_error *err)
{
	return vbm_fail(err, EFBIG, "%s: a kernel has %lu MB at most, and this is larger", path,
			UML_FILE_MAX >> 20);
}

static int unpack(const char *path, int fd, struct vbm_error *err)
{
	auto_free char *copy = xstrdup(path);
	char xz[] = "xz", dc[] = "-dc", *argv[] = {xz, dc, copy, NULL};
	struct vbm_error why = {0};
	int ret = program_fill(argv, UML_FILE_MAX, fd, &why);

	if (ret == -EFBIG)
		return too_large(path, err);
	/* The errors of xz are discarded, so this message is general. */
	if (ret == -EIO)
		return vbm_fail(err, EIO, "%s cannot be unpacked with xz; copy it again", path);
	return ret < 0 ? vbm_fail(err, -ret, "%s: %s", path, why.msg) : 0;
}

/* Writes the program @path, unpacked if necessary, into the new file @to. */
static int write_program(const char *path, const char *to, struct vbm_error *err)
{
	auto_close int in = file_open(path, err), out = -1;
	const char *dot = strrchr(path, '.');
	int ret;

	if (in < 0)
		return in;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (out < 0)
		return vbm_fail(err, errno, "cannot write %s: %m", to);
	if (dot && !strcmp(dot, ".xz"))
		return unpack(path, out, err);
	ret = file_fd_copy(in, UML_FILE_MAX, out);
	if (ret == -EFBIG)
		return too_large(path, err);
	return ret < 0 ? vbm_fail(err, -ret, "cannot copy %s to %s: %s", path, to, strerror(-ret)) :
			 0;
}

static int write_meta(const char *dir, const struct kernel *k, const char *from,
		      struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/meta", dir), *text = NULL;
	struct timespec now = {0};

	clock_gettime(CLOCK_REALTIME, &now);
	text = xasprintf("release=%s\nsuite=\nvariant=%s\nlabel=%s\nhz=%d\nvirtual_time=%s\n"
			 "stored=%lld%09ld\nfrom=%s\n", k->release, k->variant, k->label, k->hz,
			 k->virtual_time ? "yes" : "no", (long long)now.tv_sec, now.tv_nsec, from);
	return file_replace(path, text, err);
}

/* Removes a kernel that is already in the store, if it is damaged. */
static void make_room(const char *release)
{
	auto_kernel struct kernel there = {0};

	if (kernel_in_store(&there, KERNEL_UML, release) && kernel_check(&there, NULL) == -KERNEL_DAMAGED)
		kernel_remove(&there, NULL);
}

/*
 * Puts the program and its meta into the folder @dir of the store, then gives the folder
 * its name.
 */
static int store(const char *dir, const char *from, char **release, struct vbm_error *err)
{
	auto_free char *program = xasprintf("%s/linux", dir), *list = kernel_store(KERNEL_UML);
	auto_free char *place = NULL, *full = realpath(from, NULL);
	auto_kernel struct kernel k = {0};
	struct vbm_error why = {0};
	int ret = write_program(from, program, err);

	if (ret < 0)
		return ret;
	if (uml_inspect(&k, program, &why) < 0)
		return vbm_fail(err, why.code, "%s: %s", from, strstr(why.msg, ": ") + 2);
	ret = write_meta(dir, &k, full ? full : from, err);
	if (ret < 0)
		return ret;
	record_keep(dir, "linux");
	place = xasprintf("%s/%s", list, k.release);
	make_room(k.release);
	if (rename(dir, place) < 0)
		return vbm_fail(err, errno == ENOTEMPTY ? EEXIST : errno, errno == ENOTEMPTY ?
				"%s is in the store already" : "cannot put %s into the store: %m",
				k.release);
	*release = steal(&k.release);
	return 0;
}

int uml_add(const char *path, char **release, struct vbm_error *err)
{
	auto_free char *list = kernel_store(KERNEL_UML), *dir = NULL;
	int ret = cache_make(list, err);

	*release = NULL;
	if (ret < 0)
		return ret;
	dir = xasprintf("%s/.add.XXXXXX", list);
	if (!mkdtemp(dir) || chmod(dir, 0755) < 0)
		return vbm_fail(err, errno, "cannot write in %s: %m", list);
	ret = store(dir, path, release, err);
	if (ret < 0)
		uml_folder_remove(dir);
	return ret;
}
