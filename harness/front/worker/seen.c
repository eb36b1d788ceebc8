/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/seen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/* Whether @path is @folder or below it. */
static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !strcmp(folder, "/") || (!strncmp(path, folder, n) && (!path[n] || path[n] == '/'));
}

/* Whether each host has its own @path, which a shared folder would hide. */
static bool is_of_host(const char *path)
{
	if (is_below(path, "/dev/shm") && strcmp(path, "/dev/shm") != 0)
		return false;
	return !strcmp(path, "/") || is_below(path, "/proc") || is_below(path, "/sys") ||
	       is_below(path, "/dev");
}

int seen_share(struct seen *s, const char *text, struct vbm_error *err)
{
	size_t n = strlen(text);
	bool readonly = n > 3 && !strcmp(text + n - 3, ":ro");
	auto_free char *name = xstrndup(text, readonly ? n - 3 : n);
	auto_free char *path = realpath(name, NULL);
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return vbm_fail(err, errno, "cannot share %s: %s", name, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return vbm_fail(err, ENOTDIR, "cannot share %s: it is not a folder", name);
	if (is_of_host(path))
		return vbm_fail(err, EINVAL, "cannot share %s: each host has its own %s; share "
				"another folder", name, path);
	s->share[s->shares++] = (struct shared_folder){steal(&path), readonly};
	return 0;
}

/* Takes over @path. */
static void add_seen_path(struct seen *s, char *path)
{
	s->path = xreallocarray(s->path, s->paths + 2, sizeof(*s->path));
	s->path[s->paths++] = path;
	s->path[s->paths] = NULL;
}

int seen_add(struct seen *s, const char *path, const char *option, struct vbm_error *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		return vbm_fail(err, errno, "%s %s: %s", option, path, strerror(errno));
	add_seen_path(s, real);
	return 0;
}

void seen_add_own(struct seen *s)
{
	char *self = realpath("/proc/self/exe", NULL);
	char *slash = self ? strrchr(self, '/') : NULL;

	if (!slash || slash == self) {
		free(self);
		return;
	}
	*slash = '\0';
	add_seen_path(s, self);
}

static bool is_too_much(const char *root)
{
	const char *name = getenv("HOME");
	auto_free char *home = name && *name ? realpath(name, NULL) : NULL;
	struct stat st;

	if (stat(root, &st) == 0 && (st.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH))
		return true;
	return !strcmp(root, "/") || (home && strcmp(home, "/") != 0 && is_below(home, root));
}

void seen_add_suite(struct seen *s, const char *root)
{
	if (is_too_much(root))
		visible_complain("warning: programs of scenarios do not see %s, because it has more in it "
			 "than scenarios: move the scenarios to a separate folder, or use --share", root);
	else
		add_seen_path(s, xstrdup(root));
}

void seen_put(const struct seen *s, struct lane_options *opts)
{
	static const char *const nothing[] = {NULL};

	opts->share = s->share;
	opts->shares = s->shares;
	if (!s->all)
		opts->see = s->path ? (const char *const *)s->path : nothing;
}

void seen_fini(struct seen *s)
{
	size_t i;

	for (i = 0; i < s->shares; i++)
		free(s->share[i].path);
	for (i = 0; i < s->paths; i++)
		free(s->path[i]);
	free(s->path);
}
