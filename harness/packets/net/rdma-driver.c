/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/rdma-driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "names/device-types.h"

static bool file_mentions(const char *path, const char *what)
{
	auto_free char *text = NULL;

	return file_read(path, &text, NULL, NULL) == 0 && strstr(text, what);
}

/*
 * Only a module has a folder in /sys/module. Kernels that people build themselves often
 * lack modules.builtin, so /proc/kallsyms is searched as well.
 */
bool rdma_driver_is_there(const struct device_type *type)
{
	auto_free char *loaded = xasprintf("/sys/module/%s", type->module);
	auto_free char *file = xasprintf("/%s.ko", type->module);
	auto_free char *symbol = xasprintf(" %s\n", type->function);
	auto_free char *builtin = NULL;
	struct utsname u;

	if (access(loaded, F_OK) == 0)
		return true;
	uname(&u);
	builtin = xasprintf("/lib/modules/%s/modules.builtin", u.release);
	return file_mentions(builtin, file) || file_mentions("/proc/kallsyms", symbol);
}
