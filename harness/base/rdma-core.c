/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rdma-core.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "base/cleanup.h"

int rdma_core_parse(const char *file, char *version, size_t size)
{
	const char *so = strstr(file, ".so.");
	int abi, minor, major, patch, n = 0;

	if (!so || sscanf(so, ".so.%d.%d.%d.%d%n", &abi, &minor, &major, &patch, &n) != 4 ||
	    so[n])
		return -EINVAL;
	snprintf(version, size, "%d.%d", major, patch);
	return 0;
}

const char *rdma_core_version(void)
{
	static char version[32];
	auto_free char *file = NULL;
	Dl_info info;

	if (version[0])
		return version;
	if (dladdr((void *)ibv_get_device_list, &info) && info.dli_fname)
		file = realpath(info.dli_fname, NULL);
	if (!file || rdma_core_parse(file, version, sizeof(version)) < 0)
		strcpy(version, "unknown");
	return version;
}
