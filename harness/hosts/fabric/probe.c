/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fabric/fabric-priv.h"
#include "net/netns.h"

static bool table_has_port(const char *path, unsigned port)
{
	auto_file FILE *f = fopen(path, "re");
	unsigned local;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%4x", &local) == 1 && local == port)
			return true;
	return false;
}

static int check_roce_port(void *arg, struct vbm_error *err)
{
	(void)err;
	*(bool *)arg = table_has_port("/proc/thread-self/net/udp", ROCE_PORT) ||
		       table_has_port("/proc/thread-self/net/udp6", ROCE_PORT);
	return 0;
}

int probe_roce_port_bound(int netns, bool *bound, struct vbm_error *err)
{
	*bound = false;
	return netns_call(netns, check_roce_port, bound, err);
}
