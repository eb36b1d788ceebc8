/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/own-path.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define OBJECT "verbatim-trace.so"

/* In a build folder it is beside the program. An installation may have been moved as a whole. */
static char *find(void)
{
	auto_free char *beside = own_path(OBJECT), *moved = own_path("../lib/verbatim/" OBJECT);
	char *path = beside ? realpath(beside, NULL) : NULL;

	if (!path && moved)
		path = realpath(moved, NULL);
	return path ? path : realpath(TRACEDIR "/" OBJECT, NULL);
}

char *exec_trace_find(const char *what, struct vbm_error *err)
{
	auto_free char *path = NULL;

	if (strcmp(what, "verbs") != 0) {
		vbm_fail(err, EINVAL, "--trace %s: there is only --trace verbs", what);
		return NULL;
	}
	path = find();
	if (!path) {
		vbm_fail(err, ENOENT, "--trace %s: there is no " OBJECT " beside verbatim or in "
			 TRACEDIR, what);
		return NULL;
	}
	if (strpbrk(path, " :")) {
		vbm_fail(err, EINVAL, "--trace %s: LD_PRELOAD cannot have the path %s, because of its "
			 "space or colon", what, path);
		return NULL;
	}
	return steal(&path);
}

void exec_trace_put(struct value *job, const char *path)
{
	struct value *env = value_get(job, "env");
	const char *others = value_get_string(env, "LD_PRELOAD", "");
	auto_free char *all = xasprintf("%s%s%s", path, *others ? ":" : "", others);

	value_set_string(env, "LD_PRELOAD", all);
}
