/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/own-path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
