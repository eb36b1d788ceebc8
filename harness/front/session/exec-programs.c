/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-programs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/own-path.h"
#include "base/value.h"

#define FOLDER "host-programs"

/* In a build folder it is beside the program. An installation may have been moved as a whole. */
char *exec_programs_folder(void)
{
	auto_free char *beside = own_path(FOLDER), *moved = own_path("../libexec/verbatim/" FOLDER);
	char *path = beside ? realpath(beside, NULL) : NULL;

	if (!path && moved)
		path = realpath(moved, NULL);
	if (!path)
		path = realpath(PKGLIBEXECDIR "/" FOLDER, NULL);
	/* No folder with a colon in its name can be in PATH. */
	if (path && strchr(path, ':')) {
		free(path);
		path = NULL;
	}
	return path;
}

void exec_programs_put(struct value *job)
{
	auto_free char *beside = own_path("verbatim-rsh"), *folder = exec_programs_folder();

	if (!beside || access(beside, X_OK) < 0)
		return;
	value_set(job, "rsh", json_bytes(beside));
	value_set(job, "rsh_socket", value_format_string("verbatim-rsh-%d-%llx", (int)getpid(),
							 (unsigned long long)clock_now_ns()));
	if (folder)
		value_set(job, "host_programs", json_bytes(folder));
}
