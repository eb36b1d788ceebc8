/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/own-path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

char *own_path(const char *name)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *slash;

	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	return slash ? xasprintf("%.*s/%s", (int)(slash - exe), exe, name) : NULL;
}

char *own_command(void)
{
	char *path = own_path("verbatim");

	return path ? path : xstrdup("verbatim");
}

/*
 * If this program is installed, the file is beside its other private files, also if all were
 * moved. If it is in build/, the file is in the source tree.
 */
char *own_private_path(const char *name)
{
	static const char *const near[] = {
		"../libexec/verbatim", "../scripts", "scripts", "../../scripts",
	};
	const char *env = getenv("VERBATIM_LIBEXECDIR");
	size_t i;

	if (env)
		return xasprintf("%s/%s", env, name);
	for (i = 0; i < ARRAY_SIZE(near); i++) {
		auto_free char *folder = own_path(near[i]);
		auto_free char *path = folder ? xasprintf("%s/%s", folder, name) : NULL;

		if (path && access(path, X_OK) == 0)
			return steal(&path);
	}
	return xasprintf(PKGLIBEXECDIR "/%s", name);
}
