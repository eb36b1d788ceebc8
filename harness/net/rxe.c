/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/rxe.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

static bool names(const char *path, const char *what)
{
	auto_free char *text = NULL;

	return file_read(path, &text, NULL, NULL) == 0 && strstr(text, what);
}

/*
 * Only a module has a folder in /sys/module. Kernels that people build themselves often
 * lack modules.builtin, so /proc/kallsyms is searched as well.
 */
bool rxe_is_there(void)
{
	auto_free char *builtin = NULL;
	struct utsname u;

	if (access("/sys/module/rdma_rxe", F_OK) == 0)
		return true;
	uname(&u);
	builtin = xasprintf("/lib/modules/%s/modules.builtin", u.release);
	return names(builtin, "/rdma_rxe.ko") || names("/proc/kallsyms", " rxe_newlink\n");
}
