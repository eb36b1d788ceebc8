/* SPDX-License-Identifier: BSD-2-Clause */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "host-ssh/host-ssh.h"

#define FABRIC_PREFIX "VERBATIM_"

static bool matches_pattern(const char *name, const char *patterns)
{
	auto_free char *words = xstrdup(patterns);
	char *save = NULL, *word;

	for (word = strtok_r(words, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save))
		if (fnmatch(word, name, 0) == 0)
			return true;
	return false;
}

char **host_ssh_env(char *const *env, const char *patterns)
{
	char **list = xcalloc(1, sizeof(*list));
	size_t count = 0;

	for (; *env; env++) {
		auto_free char *name = xasprintf("%.*s", (int)strcspn(*env, "="), *env);

		if (!strchr(*env, '=') || !strncmp(name, FABRIC_PREFIX, strlen(FABRIC_PREFIX)) ||
		    !matches_pattern(name, patterns))
			continue;
		list = xreallocarray(list, count + 2, sizeof(*list));
		list[count++] = xstrdup(*env);
		list[count] = NULL;
	}
	return list;
}

void host_ssh_env_free(char **env)
{
	char **p;

	for (p = env; p && *p; p++)
		free(*p);
	free(env);
}
