/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/confine.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

/* /etc is not deeper than this; anything deeper counts as secret. */
#define DEPTH_MAX 8

static void search_folder(struct confine_secrets *s, int fd, const char *prefix, int depth);

static void add_secret(struct confine_secrets *s, const char *path)
{
	GROW(s->path, s->count);
	s->path[s->count++] = xstrdup(path);
}

static bool is_for_all(const struct stat *st)
{
	const mode_t wanted = S_ISDIR(st->st_mode) ? S_IROTH | S_IXOTH : S_IROTH;

	return S_ISLNK(st->st_mode) || (st->st_mode & wanted) == wanted;
}

static void look_at(struct confine_secrets *s, int dir, const char *name, const char *prefix, int depth)
{
	auto_free char *path = xasprintf("%s%s", prefix, name);
	auto_free char *more = xasprintf("%s/", path);
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || (S_ISDIR(st.st_mode) && depth == DEPTH_MAX) ||
	    !is_for_all(&st)) {
		add_secret(s, path);
		return;
	}
	if (!S_ISDIR(st.st_mode))
		return;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		add_secret(s, path);
		return;
	}
	search_folder(s, fd, more, depth + 1);
	close(fd);
}

static void search_folder(struct confine_secrets *s, int fd, const char *prefix, int depth)
{
	auto_dir DIR *dir = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			look_at(s, fd, d->d_name, prefix, depth);
}

void confine_secrets_find(struct confine_secrets *s, int fd)
{
	search_folder(s, fd, "", 0);
}

void confine_secrets_fini(struct confine_secrets *s)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		free(s->path[i]);
	free(s->path);
}
