/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cache.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define HINT "set XDG_CACHE_HOME to a folder that can be written"

/* Nobody, not even root, can make a folder below it, because it is a device. */
#define NOWHERE "/dev/null"

/* For a user without a home. Everybody can make names in /tmp, so the owner is checked. */
static const char *home_in_tmp(void)
{
	static char dir[64];

	if (dir[0])
		return dir;
	snprintf(dir, sizeof(dir), "/tmp/verbatim-%u", geteuid());
	if (file_private_dir(dir) == 0)
		return dir;
	visible_complain("%s belongs to another user or is writable for others, so this run stores "
		 "nothing there; " HINT, dir);
	snprintf(dir, sizeof(dir), "%s", NOWHERE);
	return dir;
}

char *cache_path(const char *sub)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const struct passwd *pw;

	if (xdg && xdg[0] == '/')
		return xasprintf("%s/verbatim/%s", xdg, sub);
	if (!home || home[0] != '/') {
		pw = getpwuid(getuid());
		home = pw && pw->pw_dir && pw->pw_dir[0] ? pw->pw_dir : home_in_tmp();
	}
	return xasprintf("%s/.cache/verbatim/%s", home, sub);
}

int cache_make(const char *path, struct vbm_error *err)
{
	struct vbm_error why = {0};
	int ret = file_make_dirs(path, &why);

	if (ret == 0 && access(path, W_OK | X_OK) < 0)
		ret = vbm_fail(&why, errno, "cannot write in %s: %m", path);
	return ret < 0 ? vbm_fail(err, -ret, "%s; " HINT, why.msg) : 0;
}

#define FOLDERS 5

/* The cache comes first. A variable that is not set leaves NULL. The caller frees each path. */
static void list_folders(const char *sub, char *folder[FOLDERS])
{
	const char *const shared[] = {getenv("TMPDIR"), "/tmp", "/dev/shm"};
	const char *run = getenv("XDG_RUNTIME_DIR");
	size_t i;

	folder[0] = cache_path(sub);
	folder[1] = run && run[0] == '/' ? xasprintf("%s/verbatim/%s", run, sub) : NULL;
	for (i = 0; i < ARRAY_SIZE(shared); i++)
		folder[2 + i] = shared[i] && shared[i][0] == '/' && (i || strcmp(shared[0], "/tmp")) ?
			xasprintf("%s/verbatim-%u/%s", shared[i], geteuid(), sub) : NULL;
}

/* Another user's cache may be readable, but this program must not write there. */
static int use_cache(const char *path)
{
	struct vbm_error why = {0};
	struct stat st;
	int ret = file_make_dirs(path, &why);

	if (ret == 0 && (access(path, W_OK | X_OK) < 0 || stat(path, &st) < 0))
		ret = -errno;
	return ret == 0 && st.st_uid != geteuid() ? -EPERM : ret;
}

static int use_other(const char *path)
{
	auto_free char *above = xstrdup(path);
	int ret;

	*strrchr(above, '/') = '\0';
	ret = file_private_dir(above);
	return ret ? ret : file_private_dir(path);
}

int cache_scratch_make(const char *sub, char **path, struct vbm_error *err)
{
	char *folder[FOLDERS];
	struct text tried auto_text = {0};
	int ret = -ENOENT, one;
	size_t i;

	list_folders(sub, folder);
	for (i = 0; i < FOLDERS; i++) {
		if (!folder[i] || ret == 0)
			continue;
		one = i ? use_other(folder[i]) : use_cache(folder[i]);
		if (one == 0)
			*path = steal(&folder[i]);
		else
			text_addf(&tried, "%s%s: %s", tried.s ? "; " : "", folder[i],
				  strerror(-one));
		ret = one == 0 || i == 0 ? one : ret;
	}
	for (i = 0; i < FOLDERS; i++)
		free(folder[i]);
	return ret == 0 ? 0 : vbm_fail(err, -ret, "cannot make a folder for the temporary files of "
				       "a run (%s); " HINT, tried.s);
}

void cache_scratch_each(const char *sub, void (*look)(const char *path, void *arg), void *arg)
{
	char *folder[FOLDERS];
	size_t i;

	list_folders(sub, folder);
	for (i = 0; i < FOLDERS; i++) {
		if (folder[i])
			look(folder[i], arg);
		free(folder[i]);
	}
}
