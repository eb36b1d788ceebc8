/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdma-build/caller.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/own-path.h"
#include "base/search-path.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "rdma-build/libraries.h"

static void add_variable(struct value *env, struct value *bytes, const char *variable)
{
	const char *eq = strchr(variable, '=');
	auto_free char *name = NULL;

	if (eq && !text_utf8_is(variable)) {
		value_append(bytes, json_bytes(variable));
	} else if (eq) {
		name = xstrndup(variable, (size_t)(eq - variable));
		value_set_string(env, name, eq + 1);
	}
}

static bool is_called(const char *variable, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(variable, name, n) && variable[n] == '=';
}

static void describe_caller(struct value *job, bool (*wanted)(const char *variable, const void *arg),
			    const void *arg, const char *const *more)
{
	struct value *env = value_map(), *bytes = value_list();
	auto_free char *cwd = getcwd(NULL, 0), *libraries = libraries_of_caller();
	char **e;

	for (e = environ; *e; e++)
		if (!is_called(*e, LIBRARIES_KEPT) && (!wanted || wanted(*e, arg)))
			add_variable(env, bytes, *e);
	if (libraries && (!wanted || wanted(libraries, arg)))
		add_variable(env, bytes, libraries);
	for (; more && *more; more++)
		add_variable(env, bytes, *more);
	value_set(job, "env", env);
	value_set(job, "env_bytes", bytes);
	value_set(job, "cwd", json_bytes(cwd ? cwd : "/"));
}

void caller_add(struct value *job, const char *const *variables)
{
	for (; *variables; variables++)
		add_variable(value_get(job, "env"), value_get(job, "env_bytes"), *variables);
}

void caller_describe(struct value *job)
{
	describe_caller(job, NULL, NULL, NULL);
}

/*
 * The variables that every program gets, and those of @arg, a list of names that ends
 * with NULL.
 */
static bool is_named(const char *variable, const void *arg)
{
	static const char *const harmless[] = {"PATH", "LANG", "LANGUAGE", "TERM", "TZ"};
	const char *const *name = arg;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(harmless); i++)
		if (is_called(variable, harmless[i]))
			return true;
	for (; name && *name; name++)
		if (is_called(variable, *name))
			return true;
	return !strncmp(variable, "LC_", 3);
}

void caller_describe_named(struct value *job, const char *const *names, const char *const *more)
{
	static const char *const home[] = {"HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/bin/sh"};
	struct value *env;
	size_t i;

	describe_caller(job, is_named, names, more);
	env = value_get(job, "env");
	for (i = 0; i < ARRAY_SIZE(home); i++) {
		auto_free char *name = xstrndup(home[i], strcspn(home[i], "="));

		if (!value_get(env, name))
			value_set_string(env, name, strchr(home[i], '=') + 1);
	}
}

void caller_add_own_folder(struct value *job)
{
	struct value *env = value_get(job, "env");
	auto_free char *near = own_path("."), *own = near ? realpath(near, NULL) : NULL, *all = NULL;

	if (!own || strchr(own, ':'))
		return;
	all = xasprintf("%s:%s", value_get_string(env, "PATH", SEARCH_PATH_DEFAULT), own);
	value_set_string(env, "PATH", all);
}
