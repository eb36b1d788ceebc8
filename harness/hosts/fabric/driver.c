/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"

void driver_attribute(const char *device, const char *name, char *line, int size)
{
	auto_free char *path = xasprintf("/sys/class/infiniband/%s/%s", device, name);
	auto_file FILE *f = fopen(path, "re");

	line[0] = '\0';
	if (f && fgets(line, size, f))
		line[strcspn(line, "\n")] = '\0';
}

bool driver_is_iwarp(const char *device)
{
	char type[32];

	driver_attribute(device, "node_type", type, sizeof(type));
	return strstr(type, "RNIC");
}

void driver_name(const char *device, char *name, size_t size)
{
	auto_free char *path = xasprintf("/sys/class/infiniband/%s/device/driver", device);
	char target[256], *slash;
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	target[n > 0 ? n : 0] = '\0';
	slash = strrchr(target, '/');
	if (!*device)
		name[0] = '\0';
	else if (n > 0 && slash)
		snprintf(name, size, "%s", slash + 1);
	else
		snprintf(name, size, "%s", driver_is_iwarp(device) ? "siw" : "rxe");
}
