/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdma-build/libraries.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "process/program.h"

#define VARIABLE "LD_LIBRARY_PATH"

static bool has_rdma_core(const char *dir)
{
	static const char *const names[] = {"libibverbs.so.1", "librdmacm.so.1"};
	size_t i;

	for (i = 0; *dir && i < ARRAY_SIZE(names); i++) {
		auto_free char *path = xasprintf("%s/%s", dir, names[i]);

		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

char *libraries_without(const char *path)
{
	struct text out = {0};
	bool first = true;
	size_t n;

	/* The dynamic linker takes colons and semicolons; an empty folder is the current one. */
	for (;; path += n + 1) {
		auto_free char *dir = NULL;

		n = strcspn(path, ":;");
		dir = xstrndup(path, n);
		if (!has_rdma_core(dir)) {
			text_addf(&out, "%s%s", first ? "" : ":", dir);
			first = false;
		}
		if (!path[n])
			break;
	}
	return out.s ? out.s : xstrdup("");
}

char *libraries_of_caller(void)
{
	const char *kept = getenv(LIBRARIES_KEPT);

	return kept ? xasprintf(VARIABLE "=%s", kept) : NULL;
}

static bool starts_with(const char *self, const char *path)
{
	auto_free char *variable = xasprintf(VARIABLE "=%s", path), *said = NULL;
	auto_free char *program = xstrdup(self);
	char env[] = "env", option[] = "--version";
	char *argv[] = {env, variable, program, option, NULL};
	int status = 0;

	return program_says(argv, &said, &status, NULL) == 0 && status == 0;
}

void libraries_set_aside(int argc, char **argv)
{
	const char *caller = getenv(VARIABLE);
	auto_free char *self = NULL, *path = NULL;
	auto_free char **words = NULL;
	char verbatim[] = "verbatim";

	if (!caller || !*caller || getenv(LIBRARIES_KEPT))
		return;
	path = libraries_without(caller);
	if (!strcmp(path, caller))
		return;
	self = realpath("/proc/self/exe", NULL);
	if (!self || !starts_with(self, path))
		return;
	words = xcalloc((size_t)argc + 2, sizeof(*words));
	words[0] = verbatim;
	words[1] = strchr(argv[0], ' ') + 1;
	memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	setenv(LIBRARIES_KEPT, caller, 1);
	if (*path)
		setenv(VARIABLE, path, 1);
	else
		unsetenv(VARIABLE);
	execv(self, words);
	setenv(VARIABLE, caller, 1);
	unsetenv(LIBRARIES_KEPT);
}
