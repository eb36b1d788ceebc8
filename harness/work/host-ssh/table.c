/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/xalloc.h"
#include "host-ssh/host-ssh.h"

static const struct remote_program programs[] = {
	{"rsh", host_ssh_rsh},
	{"scp", host_ssh_scp},
	{"ssh", host_ssh_open},
};

const struct remote_program *remote_program_called(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(programs); i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	return NULL;
}
