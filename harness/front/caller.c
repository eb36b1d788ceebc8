/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/caller.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "front/libraries.h"

static void add(struct value *env, struct value *bytes, const char *variable)
{
	const char *eq = strchr(variable, '=');
	auto_free char *name = NULL;

	if (eq && !utf8_is(variable)) {
		value_append(bytes, json_bytes(variable));
	} else if (eq) {
		name = xstrndup(variable, (size_t)(eq - variable));
		value_set_string(env, name, eq + 1);
	}
}

void caller_describe(struct value *job, const char *const *more)
{
	struct value *env = value_map(), *bytes = value_list();
	auto_free char *cwd = getcwd(NULL, 0), *variable = NULL;
	static const char kept[] = LIBRARIES_KEPT "=";
	const char *libraries = getenv(LIBRARIES_KEPT);
	char **e;

	for (e = environ; *e; e++)
		if (strncmp(*e, kept, strlen(kept)) != 0)
			add(env, bytes, *e);
	if (libraries) {
		variable = xasprintf("LD_LIBRARY_PATH=%s", libraries);
		add(env, bytes, variable);
	}
	for (; more && *more; more++)
		add(env, bytes, *more);
	value_set(job, "env", env);
	value_set(job, "env_bytes", bytes);
	value_set(job, "cwd", json_bytes(cwd ? cwd : "/"));
}
