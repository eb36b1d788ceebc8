/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/uml.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/* A folder in this one is RUN.XXXXXX, and a kernel makes a folder with files in it. */
#define RUNS "uml"

/* A link in such a folder: it leads to the folder of the kernel's memory. */
#define MEMORY "memory"
#define MEMORY_NAME "verbatim-uml."

/* The kernel can change the link, so only a target with a name of ours is removed. */
static void remove_memory(const char *path)
{
	auto_free char *link = xasprintf("%s/" MEMORY, path);
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target) - 1);
	const char *name;

	if (n <= 0)
		return;
	target[n] = '\0';
	name = strrchr(target, '/');
	if (name && !strncmp(name + 1, MEMORY_NAME, strlen(MEMORY_NAME)))
		rmdir(target);
}

static void remove_below(const char *path, int depth)
{
	auto_dir DIR *dir = opendir(path);
	const struct dirent *d;

	while (dir && (d = readdir(dir))) {
		auto_free char *name = xasprintf("%s/%s", path, d->d_name);

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		if (unlink(name) < 0 && depth > 0)
			remove_below(name, depth - 1);
	}
	rmdir(path);
}

void uml_folder_remove(const char *path)
{
	remove_memory(path);
	remove_below(path, 1);
}

struct uml_folder_sweep {
	bool dry_run;
	int count;
};

static void sweep_place(const char *runs, void *arg)
{
	auto_dir DIR *dir = opendir(runs);
	const struct dirent *d;
	struct uml_folder_sweep *s = arg;
	struct stat st;

	/* Folders of another user are not removed. */
	if (!dir || fstat(dirfd(dir), &st) < 0 || st.st_uid != geteuid())
		return;

	while ((d = readdir(dir))) {
		auto_free char *path = xasprintf("%s/%s", runs, d->d_name);
		auto_close int fd = -1;

		if (d->d_name[0] == '.')
			continue;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
			continue;
		if (!s->dry_run)
			uml_folder_remove(path);
		s->count++;
	}
}

int uml_folders_sweep(bool dry_run)
{
	struct uml_folder_sweep s = {.dry_run = dry_run};

	cache_scratch_each(RUNS, sweep_place, &s);
	return s.count;
}

/* False if another run's sweep removed the folder before it was locked. */
static bool is_ours(const char *path, int fd)
{
	struct stat a, b;

	return flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &a) == 0 && stat(path, &b) == 0 &&
	       a.st_ino == b.st_ino;
}

int uml_folder_make(char **path, int *lock_fd, struct vbm_error *err)
{
	auto_free char *runs = NULL, *made = NULL;
	auto_close int fd = -1;
	int ret = cache_scratch_make(RUNS, &runs, err);

	if (ret < 0)
		return ret;
	uml_folders_sweep(false);
	do {
		free(made);
		made = xasprintf("%s/run.XXXXXX", runs);
		if (fd >= 0)
			close(steal_fd(&fd));
		if (!mkdtemp(made))
			return vbm_fail(err, errno, "cannot make a folder in %s: %m", runs);
		fd = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 && errno != ENOENT)
			return vbm_fail(err, errno, "cannot open %s: %m", made);
	} while (fd < 0 || !is_ours(made, fd));
	*lock_fd = steal_fd(&fd);
	*path = steal(&made);
	return 0;
}

/* The reason why memory cannot be in this folder, or NULL. The caller frees it. */
static char *objection(const char *path, int mb)
{
	auto_close int fd = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct statvfs fs;
	void *map;

	if (fd < 0 || fstatvfs(fd, &fs) < 0)
		return xstrdup(strerror(errno));
	if ((unsigned long long)fs.f_bavail * fs.f_frsize < ((unsigned long long)mb << 20))
		return xasprintf("fewer than %d MB are free", mb);
	if (ftruncate(fd, 4096) < 0)
		return xstrdup(strerror(errno));
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return xstrdup("it is mounted noexec");
	munmap(map, 4096);
	return NULL;
}

int uml_memory_folder(int mb, char **path, struct vbm_error *err)
{
	auto_free char *cache = cache_path("");
	const char *const places[] = {"/dev/shm", getenv("TMPDIR"), "/tmp", "/var/tmp", cache};
	auto_free char *all = NULL;
	struct text t = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		auto_free char *why = NULL;

		if (!places[i] || places[i][0] != '/')
			continue;
		why = objection(places[i], mb);
		if (!why) {
			free(t.s);
			*path = xstrdup(places[i]);
			return 0;
		}
		text_addf(&t, "%s%s: %s", t.s ? "; " : "", places[i], why);
	}
	all = t.s;
	return vbm_fail(err, ENOSPC,
			"there is no folder for the kernel's memory of %d MB (%s); set TMPDIR to one", mb,
			all);
}

int uml_memory_own(const char *folder, const char *memory, char **path, struct vbm_error *err)
{
	auto_free char *own = xasprintf("%s/" MEMORY_NAME "XXXXXX", memory);
	auto_free char *link = xasprintf("%s/" MEMORY, folder);

	if (!mkdtemp(own))
		return vbm_fail(err, errno, "cannot make a folder in %s: %m", memory);
	if (symlink(own, link) < 0) {
		rmdir(own);
		return vbm_fail(err, errno, "cannot write to %s: %m", folder);
	}
	*path = steal(&own);
	return 0;
}
