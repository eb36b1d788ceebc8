/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/search-path.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

const char *search_path_of(char *const *envp)
{
	const char *path = SEARCH_PATH_DEFAULT;

	for (; *envp; envp++)
		if (!strncmp(*envp, "PATH=", 5))
			path = *envp + 5;
	return path;
}

static int open_in_root(int root, const char *path)
{
	/*
	 * Links such as /etc/alternatives/x are absolute, so they are resolved in @root
	 * and not on this machine.
	 */
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};

	return root < 0 ? open(path, O_PATH | O_CLOEXEC) :
			  (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

bool search_path_is_executable(int root, const char *path)
{
	auto_close int fd = open_in_root(root, path);
	auto_free char *self = xasprintf("/proc/self/fd/%d", fd);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && access(self, X_OK) == 0;
}

bool search_path_has(int root, const char *folders, const char *name)
{
	const char *at;
	size_t n;

	for (at = folders; at; at = at[n] ? at + n + 1 : NULL) {
		auto_free char *path = NULL;

		n = strcspn(at, ":");
		path = xasprintf("%.*s/%s", (int)n, at, name);
		if (search_path_is_executable(root, path))
			return true;
	}
	return false;
}
