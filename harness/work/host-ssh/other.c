/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/search-path.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "host-ssh/host-ssh.h"

static bool is_this_program(const char *path)
{
	struct stat own, st;

	return stat("/proc/self/exe", &own) == 0 && stat(path, &st) == 0 && st.st_dev == own.st_dev &&
	       st.st_ino == own.st_ino;
}

/*
 * The first program called @name behind the last folder of PATH in which the name means
 * this program. So two installations of Verbatim cannot call each other without end.
 */
static char *find_other(const char *name)
{
	const char *at = search_path_of(environ), *end;
	char *found = NULL;

	for (; at; at = *end ? end + 1 : NULL) {
		auto_free char *path = NULL;

		end = strchrnul(at, ':');
		path = xasprintf("%.*s/%s", (int)(end - at), at, name);
		if (is_this_program(path)) {
			free(found);
			found = NULL;
		} else if (!found && search_path_is_executable(-1, path)) {
			found = steal(&path);
		}
	}
	return found;
}

int host_ssh_other_program(const char *name, char **argv, const char *reason)
{
	auto_free char *path = find_other(name);

	if (!path) {
		visible_complain("%s: %s, and PATH has no other %s", name, reason, name);
		return REMOTE_FAILED;
	}
	signal(SIGPIPE, SIG_DFL);
	execv(path, argv);
	visible_complain("%s: cannot start %s: %s", name, path, strerror(errno));
	return REMOTE_FAILED;
}
